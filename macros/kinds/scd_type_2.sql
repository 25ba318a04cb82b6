{% materialization scd_type_2, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.history_writer, write=dbt_kinds.merge_history)) %}
{% endmaterialization %}
