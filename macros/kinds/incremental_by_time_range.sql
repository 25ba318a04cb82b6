{% materialization incremental_by_time_range, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.range_writer, write=dbt_kinds.replace_range)) %}
{% endmaterialization %}
