{#
  SCD type 2 by column with `validity: run_sequence`, a kind of its own inside the package (`scd_type_2_by_run`):
  versions are numbered by run, without intervals. Options that date or restate versions are refused.
#}
{% macro run_history_options(node, options, given) %}
  {% set model = options.model %}
  {% if 'unique_key' not in given %}
    {% do dbt_kinds.fail(model,
      "unique_key is missing; name the columns that tell rows apart, as in meta={'unique_key': ['id']}") %}
  {% elif given.get('columns', '*') not in ['*', ['*']] %}
    {% do dbt_kinds.fail(model,
      "validity: run_sequence compares all columns; write columns: '*', and leave out of the query what is not to begin a version") %}
  {% endif %}
  {% for name in ['updated_at_name', 'execution_time_as_valid_from', 'time_data_type', 'batch_size', 'duplicate_keys',
      'start', 'end', 'cron', 'interval_unit', 'ready_until'] if name in given %}
    {% do dbt_kinds.fail(model, name
      ~ ' goes by time, and validity: run_sequence numbers versions by runs; remove it, or set validity: time') %}
  {% endfor %}
  {% if not dbt_kinds.true_or_false(model, 'invalidate_hard_deletes', given.get('invalidate_hard_deletes', true)) %}
    {% do dbt_kinds.fail(model,
      'validity: run_sequence closes the versions of keys that are gone; remove invalidate_hard_deletes: false') %}
  {% endif %}
  {% do return({
    'unique_key': dbt_kinds.key_expressions(model, given.unique_key), 'null_keys': 'error', 'duplicate_keys': 'error',
    'columns': '*', 'updated_at_name': none, 'time_data_type': 'bigint', 'dates_first_load': true,
    'invalidate_hard_deletes': true,
    'valid_from_name': given.get('valid_from_name', 'valid_from') | string,
    'valid_to_name': given.get('valid_to_name', 'valid_to') | string,
    'empty_source': given.get('empty_source', 'error') | lower,
  }) %}
{% endmacro %}
