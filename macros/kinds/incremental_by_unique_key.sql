{% materialization incremental_by_unique_key, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{# Custom when_matched clauses say what happens to rows that exist, and may add to them. #}
{% macro kind_incremental_by_unique_key(options) %}
  {% set is_captured = options.get('capture') is not none %}
  {% do return({
    'own_options': 'key_options', 'plan': 'plan_change_sets' if is_captured else 'plan_by_intervals',
    'write_spec': 'key_write_spec', 'write': 'upsert', 'row_key': 'unique_key', 'reads_its_table': true,
    'rebuilds_to_restate': true,
    'may_count_twice': options.get('when_matched') is not none, 'ignores_intervals': is_captured,
    'diffs_against_target': is_captured,
  }) %}
{% endmacro %}
