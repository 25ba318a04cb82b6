{% materialization tracked, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_tracked(options) %}
  {% do return({
    'own_options': 'group_options', 'plan': 'plan_comparison', 'write_spec': 'group_write_spec',
    'stage': 'stage_groups', 'write': 'replace_groups',
    'row_key': 'group', 'compares_rows': true, 'ignores_intervals': true, 'diffs_against_target': true,
    'reads_its_table': true,
  }) %}
{% endmacro %}
