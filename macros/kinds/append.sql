{% materialization append, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_append(options) %}
  {% set is_captured = options.get('capture') is not none %}
  {% do return({
    'own_options': 'append_options',
    'plan': {'snapshot': 'plan_gained_rows', 'cursor': 'plan_comparison'}.get(options.get('capture'),
      'plan_by_intervals'),
    'write_spec': 'changes_write_spec' if is_captured else 'append_write_spec',
    'write': 'append_changes' if is_captured else 'append_once',
    'appends_rows': true, 'reads_its_table': true, 'rebuilds_to_restate': true, 'ignores_intervals': is_captured,
    'diffs_against_target': is_captured,
  }) %}
{% endmacro %}
