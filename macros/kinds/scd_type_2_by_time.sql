{% materialization scd_type_2_by_time, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_scd_type_2_by_time(options) %}
  {% do return({
    'own_options': 'history_options', 'plan': 'plan_by_merges', 'write_spec': 'history_write_spec',
    'write': 'merge_history', 'has_merge_timeline': true,
    'is_dated_by_source': true, 'compares_rows': true, 'reads_its_table': true,
  }) %}
{% endmacro %}
