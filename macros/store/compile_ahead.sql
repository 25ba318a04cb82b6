{#
  Compiles, in the on-run-start hook, the macros that a batch of most kinds calls and the hook does not. dbt-core
  compiles a macro when it is called first, and threads that begin together each compile what the others compile, too:
  half of what macros cost a night of twenty models. The list is measured, and a sweep says what has changed
  (test_statements.py); a macro that it lacks is compiled when it is called. A dbt-core that does not offer this is not
  asked for it.
#}
{% macro compile_ahead() %}
  {% set names = [
    '_asks_readiness', '_atomic_type', '_auto_restatement', '_bound_pattern', '_check_bounds', '_check_max_batches',
    '_check_option_names', '_claims_of_others', '_columns_unlike', '_comparable', '_could_be_adopted', '_described',
    '_descriptions', '_facts_of_run', '_field_changes', '_file_format', '_find_passed_over', '_held_back',
    '_iceberg_partitioning', '_is_constrained_afterwards', '_json_string', '_kind_of', '_microseconds_since_1970',
    '_name_pattern', '_nodes_with_alias', '_note_of_query', '_number_pattern', '_partition_by', '_passed_over',
    '_read_options', '_rebuilds_table', '_recorded_head', '_release_dead_claims', '_reread',
    '_schema_change_options', '_sentinel_of', '_stage_owner', '_stage_prefix', '_stages', '_stated', '_type_at',
    '_type_changes', '_units_before', '_window_bounds', 'accepted_changes', 'announced_write', 'append_events',
    'as_instants', 'assert_lease', 'audit_events', 'audit_options', 'audited_query', 'audited_run',
    'awaited_parents', 'backbuild_settings', 'batch_details', 'begins_anew', 'begun_run', 'ceil_to_unit',
    'change_statements', 'changed_schema', 'check_adapter', 'check_column_names', 'check_contract',
    'check_field_names', 'check_first_batch', 'check_no_unrecorded_history', 'check_no_unrecorded_rows',
    'check_nothing_taken_over', 'check_nothing_unrecorded', 'check_own_table', 'check_proven', 'check_query',
    'check_query_change', 'check_store_assignment', 'check_table_name', 'check_times', 'check_times_of_nothing',
    'claim', 'columns_by_name', 'commit_of', 'compiled_query', 'contract_columns', 'count_units', 'counted',
    'coverage', 'coverage_of', 'covered_units', 'cursor_options', 'cut_into_batches', 'default__native_format',
    'describe_columns', 'describe_write', 'described_expressions', 'described_run_query', 'details_text',
    'differing_partitions', 'drop_left_stages', 'drop_stages', 'drop_table', 'early_ticks', 'fill_outbox',
    'filtered_query', 'find_column', 'first_batches', 'first_instant', 'fold_events', 'followed_parents',
    'full_refresh_of', 'grant_and_document', 'has_key', 'has_record_to_send', 'has_times', 'hash_of_run',
    'iceberg_columns', 'incomparable', 'intersect_intervals', 'invalidate', 'invalidations', 'invalidations_of',
    'is_another_query', 'is_filled', 'is_granted_or_documented', 'is_overdue', 'is_repeatable', 'is_silent_for',
    'json_text', 'keyed_rows', 'last_note', 'late_data', 'late_units', 'late_words', 'leased_run', 'left_stages',
    'liquid_clustering', 'load_intervals', 'loads_of', 'log_batch', 'log_plan', 'lookback_options', 'mark_begun',
    'mark_ended', 'may_wait', 'merge_intervals', 'model_hash', 'native_format', 'newest_commits', 'note_after',
    'note_of_plan', 'note_of_writes', 'notes_among', 'notes_of_rows', 'numbered_commits', 'one_of', 'one_query',
    'open_write', 'option_table', 'options', 'options_of', 'options_of_dbt', 'others_will_append',
    'others_will_begin', 'parse_type', 'part_to_claim', 'partition_columns_last', 'plain_relations',
    'plan_by_intervals', 'plan_intervals', 'plan_notes', 'plan_of_nothing_due', 'plan_reason', 'planned_run',
    'prepare_table', 'prepared_write', 'probed_query', 'profile_setting', 'query_not_compared', 'query_of_batch',
    'query_window', 'quoted_names', 'read_information', 'read_option', 'reads_table', 'ready_until_option',
    'record_batch', 'refresh_if_stale', 'release_event', 'release_lease_of', 'release_with_note', 'reload_reasons',
    'report_window', 'requested_window', 'row_type', 'rows_as_stored', 'rows_of_batches', 'run_status',
    'run_values', 'run_window', 'schedule_options', 'schema_changes', 'seconds_between', 'selected_columns',
    'send_due_records', 'send_old_records', 'send_records_before_write', 'sentinel_pattern',
    'settle_announced_write', 'source_windows', 'sql_tokens', 'stage', 'stage_rows', 'stored_as_null',
    'substitute_in_hooks', 'substitute_window', 'subtract_intervals', 'suffix_of_type', 'symbolic_query',
    'table_facts', 'table_state_queries', 'table_write_spec', 'take_claim_ahead', 'thousands', 'time_left',
    'to_thousandths', 'try_claim', 'typed_query', 'unit_index_after', 'units_within', 'unquoted',
    'waiting_intervals', 'waiting_units', 'wall_time', 'warn_of_limit', 'warn_of_partitions', 'was_claimed_ahead',
    'with_change_sets', 'with_ignored_refresh', 'with_quoted_names', 'with_run_values', 'without_comments',
    'write_changes', 'writes_rows',
  ] %}
  {% for name in names if dbt_kinds[name].get_template is defined %}
    {% do dbt_kinds[name].get_template() %}
  {% endfor %}
{% endmacro %}
