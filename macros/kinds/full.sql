{% materialization full, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_full(options) %}
  {% do return({
    'plan': 'plan_if_changed' if options.get('skip_unchanged') else 'plan_whole',
    'write_spec': 'whole_write_spec', 'write': 'replace_all', 'ignores_intervals': true, 'replaces_table': true,
    'is_change_driven': options.get('skip_unchanged', false),
  }) %}
{% endmacro %}
