{#
  A run's context with what its kind prepares, after all checks of the query and the table (`run_context` in
  docs/how-it-works.md), and with what audited_run adds. `query` is what described_run_query returns.
#}
{% macro prepared_write(run, plan, query) %}
  {% set options, settings, existing, start_anew = query.options, run.settings, query.existing,
    not run.is_there or plan.start_anew %}
  {% do dbt_kinds.check_column_types(options, query.columns) if start_anew %}
  {% do dbt_kinds.check_field_names(options, query.columns) %}
  {% set write_spec = dbt_kinds[options.traits.write_spec](options, query.columns, none if start_anew else existing,
    query.in_window, query.expressions) %}
  {% set write_spec = dbt_kinds.with_typed_clauses(options, write_spec)
    if options.get('merge_filter') is not none or options.get('when_matched') is not none else write_spec %}
  {% do dbt_kinds.check_column_names(options, write_spec.schema, none if start_anew else existing) %}
  {% do dbt_kinds.warn_of_partitions(options, write_spec) if not run.refresh %}
  {% do write_spec.update({'stored_as_null': dbt_kinds.stored_as_null(write_spec, query.columns)}) %}
  {% set is_backfill = dbt_kinds.begins_anew(options, plan, settings, run.is_there) %}
  {% do write_spec.update({'last_value': dbt_kinds.cursor_position(options, query.columns,
    none if is_backfill else existing)}) if options.get('cursor') is not none %}
  {% do dbt_kinds.check_contract(dbt_kinds.contract_columns(write_spec, query.columns)) %}
  {% do dbt_kinds.check_can_restore(options, plan) if plan.get('restatement') is not none %}
  {% do dbt_kinds.check_can_replace(options, existing) if start_anew %}
  {% if start_anew and dbt_kinds.hive_refuses(options, existing, write_spec.schema) %}
    {% set existing = dict(existing, has_to_be_dropped=true) %}
  {% endif %}
  {% do return(dbt_kinds.audited_run({
    'audits': [] if settings.skip_audits else options.audits,
    'skips_audits': settings.skip_audits and options.audits != [],
    'options': options, 'plan': plan, 'model_hash': dbt_kinds.hash_of_run(options, run),
    'has_nothing_to_do': false, 'note': none,
    'window': query.window, 'existed': run.is_there, 'start_anew': start_anew,
    'is_backfill': is_backfill, 'existing': existing, 'write_spec': write_spec, 'sql': query.sql,
    'query_in_window': query.in_window, 'reads_itself': query.reads_itself,
    'table_state_queries': dbt_kinds.table_state_queries(this, options, existing), 'table_state': {},
  })) %}
{% endmacro %}
