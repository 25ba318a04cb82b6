{% materialization tracked, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.group_writer, write=dbt_kinds.replace_groups)) %}
{% endmaterialization %}
