{#
  The work of a model's run, checked against the current table and query before anything is written:
  `{options, plan, model_hash, is_done, window, existed, start_anew, is_backfill, existing, writer, sql, sample_query, reads_itself, questions, answers}`, the keys from window on only
  if there is something to do. Pass `afresh` if others may have written since the run began.
#}
{% macro planned_work(options, settings, afresh=false) %}
  {% set found = dbt_kinds.relation_type(this, afresh) %}
  {% if found != 'table' and not afresh and dbt_kinds.events_of(options.relation) %}
    {# the schema was listed before the store was read #}
    {% set found = dbt_kinds.relation_type(this, afresh=true) %}
  {% endif %}
  {% do dbt_kinds.forget_source_facts() if afresh %}
  {% if afresh and found == 'table' %}
    {% call statement('refresh_table') %}refresh table {{ this }}{% endcall %}
  {% endif %}
  {% set sql = dbt_kinds.empty_event_rows(options) if options.kind == 'events' else dbt_kinds.one_query(options.model, compiled_code) %}
  {% set loads = dbt_kinds.loads_of(options.relation) if found == 'table' else [] %}
  {% set parents = dbt_kinds.followed_parents(model, options, sql, loads != []) %}
  {% set model_hash = dbt_kinds.model_hash(options, sql) %}
  {% set batches = dbt_kinds.recorded_batches(options) if found == 'table' and options.traits.has_merge_timeline else [] %}
  {% do dbt_kinds.check_deletes_are_seen(model, sql) %}
  {% do dbt_kinds.prepare_outbox() if 'sink' in options %}
  {% set plan = dbt_kinds.gated_plan(model, options, loads, settings, model_hash, parents, batches, sql) %}
  {% do dbt_kinds.rest_if_unchanged(model, options, plan, loads, settings, model_hash, sql) if options.skip_unchanged %}
  {% if options.kind == 'events' and options.landing_table is not none %}
    {% do dbt_kinds.plan_landed_rows(options, plan, loads, settings, found == 'table') %}
  {% elif options.kind == 'events' %}
    {% do dbt_kinds.plan_landed(options, plan, settings, found == 'table') %}
  {% endif %}
  {% do dbt_kinds.backfill_or_compare(options, plan, loads, settings, model_hash) if options.traits.diffs_against_target and options.kind != 'events' %}
  {% if options.get('capture') == 'snapshot' and options.kind == 'append' %}
    {% do dbt_kinds.plan_gained_rows(model, options, plan, loads, sql) %}
  {% elif options.get('capture') == 'snapshot' %}
    {% do dbt_kinds.plan_change_sets(model, options, plan, loads, sql) %}
  {% endif %}
  {% if not plan.batches and found == 'table' %}
    {% do dbt_kinds.note_snapshots(options, plan) if plan.sources %}
    {% do return({'options': options, 'plan': plan, 'is_done': true}) %}
  {% endif %}

  {% for audit in options.audits %}{% do dbt_kinds.generic_test(options.model, audit) %}{% endfor %}
  {% do dbt_kinds.warn_of_limit(options, sql) if not afresh %}
  {% set window = dbt_kinds.run_window(plan, settings) %}
  {% set probe = dbt_kinds.probed_query(sql) %}
  {# a captured table that gained a column since its last snapshot is read without it #}
  {% set probed = dbt_kinds.with_change_sets(plan.get('change_sets'), probe.sql) %}
  {% set as_empty = dbt_kinds.read_as_empty(model, this, probed) if found != 'table' else none %}
  {% set probed = as_empty or probed %}
  {% set options = dbt_kinds.with_quoted_names(options, probed) %}
  {# dbt's information about the table is from the beginning of the run #}
  {% set recent = dbt_kinds.events_of(options.relation) | map(attribute='recorded_at') | select('ge', run_started_at.strftime('%Y-%m-%dT%H:%M:%S.%f')[:26]) | list %}
  {% set facts = none if found is none else dbt_kinds.table_facts(this, afresh or recent != []) %}
  {% set names_table = found == 'table' and facts.columns is not defined %}
  {% set described = dbt_kinds.describe_write(probed, dbt_kinds.described_expressions(options), this if names_table else none) %}
  {% set existing = dict(facts, columns=described.table) if names_table else facts %}
  {% set sql = dbt_kinds.typed_query(options, sql, probe, probed, described.query) %}
  {% do dbt_kinds.check_counts_once(options, sql) if options.traits.accumulates %}
  {% set sample_query = dbt_kinds.with_change_sets(plan.get('change_sets'), dbt_kinds.substitute_window(sql, dbt_kinds.query_window(options, window), plan.execution_time)) %}
  {% set sample_query = dbt_kinds.read_as_empty(model, this, sample_query) if as_empty is not none else sample_query %}
  {% set start_anew = found != 'table' or plan.start_anew %}
  {% do dbt_kinds.check_column_types(options, described.query) if start_anew %}
  {% do dbt_kinds.check_field_names(options, described.query) %}
  {% set writer = dbt_kinds[options.traits.prepare](options, described.query, none if start_anew else existing, sample_query, described.expressions) %}
  {% set writer = dbt_kinds.with_typed_clauses(options, writer) if options.get('merge_filter') is not none or options.get('when_matched') is not none else writer %}
  {% do dbt_kinds.check_column_names(options, writer.schema, none if start_anew else existing) %}
  {% do dbt_kinds.warn_of_partitions(options, writer) if not afresh %}
  {% do writer.update({'stored_as_null': dbt_kinds.stored_as_null(writer, described.query)}) %}
  {% set is_backfill = dbt_kinds.begins_anew(options, plan, settings, found == 'table') %}
  {% do writer.update({'last_value': dbt_kinds.cursor_position(options, described.query, none if is_backfill else existing)}) if options.get('cursor') is not none %}
  {% do dbt_kinds.check_contract(dbt_kinds.contract_columns(writer, described.query)) %}
  {% do dbt_kinds.check_can_put_back(options, plan) if plan.get('restatement') is not none %}
  {% do dbt_kinds.check_can_replace(options, existing) if start_anew %}
  {% if start_anew and dbt_kinds.hive_refuses(options, existing, writer.schema) %}
    {% set existing = dict(existing, has_to_be_dropped=true) %}
  {% endif %}
  {% do return(dbt_kinds.audited_work({
    'audits': [] if settings.skip_audits else options.audits, 'skips_audits': settings.skip_audits and options.audits != [],
    'options': options, 'plan': plan, 'model_hash': model_hash, 'is_done': false, 'window': window, 'existed': found == 'table', 'start_anew': start_anew, 'is_backfill': is_backfill,
    'existing': existing, 'writer': writer, 'sql': sql, 'sample_query': sample_query, 'reads_itself': as_empty is not none,
    'questions': dbt_kinds.questions_of(this, options, existing), 'answers': {},
  })) %}
{% endmacro %}


{#
  The same under the lease: claims the table, and plans again if others wrote, or if a write that a run announced and did not record
  had to be finished.
#}
{% macro leased_work(options, settings) %}
  {% set unsettled = dbt_kinds.open_write(options.relation) is not none %}
  {% if unsettled %}
    {% do dbt_kinds.claim(options, {'execution_time': settings.execution_time, 'batches': []}) %}
    {% set settings = dbt_kinds.settle_pending_write(options, settings) or settings %}
  {% endif %}
  {% set work = dbt_kinds.planned_work(options, settings, afresh=unsettled) %}
  {% if work.is_done and work.plan.get('note') is none %}
    {% do return(work) %}
  {% endif %}
  {# what a run without anything to load notes is not worth failing for #}
  {% set others_wrote = dbt_kinds.claim(options, work.plan, work.get('questions', {}), gives_way=work.is_done) %}
  {% if others_wrote is none %}
    {% do return(dict(work, plan=dict(work.plan, note=none))) %}
  {% endif %}
  {% do work.update({'answers': dbt_kinds.own_claims()[options.relation].answers}) %}
  {% set settled = dbt_kinds.settle_pending_write(options, settings) if not unsettled else none %}
  {# another run's records do not show which files it took from a folder #}
  {% if others_wrote or settled is not none or options.kind == 'events' %}
    {% set work = dbt_kinds.planned_work(options, settled or settings, afresh=true) %}
  {% else %}
    {% do dbt_kinds.refresh_if_stale(this, work) %}
  {% endif %}
  {% do return(work) %}
{% endmacro %}


{# Re-reads the table after hooks ran: they may write to it, or drop one that is to be rebuilt. #}
{% macro look_again(relation, work) %}
  {% do work.answers.clear() %}
  {% if work.start_anew %}
    {% do work.update({'existing': dbt_kinds.describe_table(relation) if dbt_kinds.relation_type(relation, afresh=true) is not none else none}) %}
  {% endif %}
{% endmacro %}


{# Prepares the table for this run's batches: rebuilds it, or applies the query's column changes. Once per run, after the first batch has passed its checks. #}
{% macro prepare_table(relation, work) %}
  {% if work.get('is_prepared') %}
    {% do return(none) %}
  {% endif %}
  {% do work.update({'is_prepared': true}) %}
  {% set options, plan, writer = work.options, work.plan, work.writer %}
  {% set writes_nothing = not dbt_kinds.writes_rows(options, warns=false) %}
  {% if writes_nothing and work.existed %}
    {% do return(none) %}
  {% elif work.start_anew %}
    {% do dbt_kinds.invalidate_all(work) %}
    {% if not writer.replaces_table or writes_nothing or not plan.batches or work.reads_itself %}
      {% do dbt_kinds.create_empty_table(relation, work.existing, options.file_format, writer.partitioning, writer.schema) %}
      {% do work.answers.clear() %}
      {# a write that replaces the table must see this one #}
      {% do work.update({'existing': {
        'columns': writer.schema, 'partitioning': writer.partitioning, 'file_format': options.file_format, 'is_view': false, 'location': none,
      }}) if work.reads_itself %}
    {% endif %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.take_back_history(relation, work) if plan.get('restatement') is not none %}
  {% if writer.schema_changes %}
    {# if it is interrupted, the next run has something to load, and finishes it #}
    {% do dbt_kinds.invalidate(options, plan, plan.batches[0]) %}
    {% do dbt_kinds.change_schema(relation, work) %}
  {% endif %}
  {% do work.answers.clear() if writer.schema_changes or plan.get('restatement') is not none %}
{% endmacro %}
