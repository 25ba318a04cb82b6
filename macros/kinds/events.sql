{% materialization events, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.append_writer, write=dbt_kinds.append_landed)) %}
{% endmaterialization %}
