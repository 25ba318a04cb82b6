{# scd_type_2_by_column with `validity: run_sequence`: runs number the versions, instead of instants. #}
{% macro kind_scd_type_2_by_run(options) %}
  {% do return({
    'own_options': 'run_history_options', 'plan': 'plan_comparison', 'write_spec': 'history_write_spec',
    'write': 'merge_history', 'ignores_intervals': true,
    'numbers_by_run': true, 'compares_rows': true, 'diffs_against_target': true, 'reads_its_table': true,
  }) %}
{% endmacro %}
