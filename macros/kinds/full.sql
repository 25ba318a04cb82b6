{% materialization full, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.whole_writer, write=dbt_kinds.replace_all)) %}
{% endmaterialization %}
