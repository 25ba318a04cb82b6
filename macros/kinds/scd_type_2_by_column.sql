{% materialization scd_type_2_by_column, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.history_writer, write=dbt_kinds.merge_history)) %}
{% endmaterialization %}
