{% materialization scd_type_2_by_column, default %}
  {% if dbt_kinds.options_of(model).kind == 'scd_type_2_by_run' %}
    {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.run_history_writer, write=dbt_kinds.merge_by_run)) %}
  {% endif %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.history_writer, write=dbt_kinds.merge_history)) %}
{% endmaterialization %}
