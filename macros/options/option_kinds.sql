{# Every option and the kinds it belongs to; `any` marks those that are set for a whole project. #}
{% macro option_kinds() %}
  {% set time_range = ['incremental_by_time_range'] %}
  {% set unique_key = ['incremental_by_unique_key'] %}
  {% set by_time, by_column = ['scd_type_2', 'scd_type_2_by_time'], ['scd_type_2_by_column'] %}
  {% set scd_2 = by_time + by_column %}
  {% set cumulative, append, events = ['cumulative_aggregate'], ['append'], ['events'] %}
  {% do return({
    'start': 'any', 'begin': 'any', 'end': 'any', 'cron': 'any', 'cron_tz': 'any', 'interval_unit': 'any',
    'week_start': 'any', 'allow_partials': 'any', 'on_query_change': 'any', 'on_destructive_change': 'any',
    'on_additive_change': 'any', 'on_upstream_change': 'any', 'disable_restatement': 'any', 'audits': 'any',
    'time_column': time_range + cumulative, 'event_time': 'any', 'on_schema_change': 'any', 'incremental_predicates': 'any', 'partition_by_time_column': time_range,
    'on_missing_upstream': 'any', 'max_batches': 'any',
    'ready_until': time_range + unique_key + ['incremental_by_partition', 'incremental_unmanaged'] + append + scd_2 + cumulative,
    'auto_restatement_cron': time_range, 'auto_restatement_intervals': time_range,
    'lookback': time_range + unique_key, 'on_lost_history': time_range + unique_key + append, 'batch_size': time_range + unique_key + scd_2 + cumulative,
    'unique_key': unique_key + scd_2 + cumulative, 'combine': cumulative, 'when_matched': unique_key, 'merge_filter': unique_key,
    'null_keys': unique_key + scd_2, 'duplicate_keys': unique_key + scd_2,
    'order_by': unique_key, 'update_only_changed': unique_key, 'insert_only': unique_key,
    'insert_overwrite': ['incremental_unmanaged'], 'skip_unchanged': ['full'],
    'group_key': ['tracked'], 'content_hash_name': ['tracked'], 'empty_source': ['tracked'] + scd_2, 'validity': by_column, 'capture': unique_key + append,
    'cursor': append + unique_key + ['tracked', 'full'], 'cursor_initial': append + unique_key + ['tracked', 'full'], 'on_source_change': append, 'delta_overrides': append,
    'valid_from_name': scd_2, 'valid_to_name': scd_2, 'updated_at_name': scd_2, 'updated_at_as_valid_from': by_time,
    'columns': by_column + events, 'execution_time_as_valid_from': by_column, 'invalidate_hard_deletes': scd_2, 'time_data_type': scd_2,
    'hard_deletes_from_filtered_query': scd_2,
    'sink': ['full', 'tracked'] + unique_key + append, 'landing': events, 'max_files': events, 'on_bad_record': events,
  }) %}
{% endmacro %}


{# The kinds this version can run. #}
{% macro kinds() %}
  {% do return([
    'incremental_by_time_range', 'incremental_by_unique_key', 'incremental_by_partition', 'incremental_unmanaged', 'append', 'events', 'full', 'tracked', 'cumulative_aggregate',
  ] + dbt_kinds.history_kinds()) %}
{% endmacro %}


{# Those of SCD type 2, which keep every version of every key. #}
{% macro history_kinds() %}
  {% do return(['scd_type_2_by_time', 'scd_type_2_by_column', 'scd_type_2']) %}
{% endmacro %}
