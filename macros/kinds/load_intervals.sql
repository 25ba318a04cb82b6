{#
  The body of every kind, also of those that know no intervals: plan, lease, and for each batch in chronological order
  its query, its audits, its write and its record.
  What differs is in the kind's record (kind_traits). To be returned by a materialization. docs/how-it-works.md goes
  through it step by step.
#}
{% macro load_intervals() %}
  {% do dbt_kinds.mark_begun(model) %}
  {% do dbt_kinds.check_adapter(model.name) %}
  {% do dbt_kinds.check_query(model) %}
  {% set options = dbt_kinds.options_of(model) %}
  {% do dbt_kinds.check_store_assignment(options) %}
  {% set settings = dbt_kinds.backbuild_settings(model,
    dbt_kinds.run_settings(model.name, dbt_kinds.full_refresh_of(options)), selected_resources) %}
  {% do dbt_kinds.check_proven(model, settings) %}
  {% set run_context = dbt_kinds.leased_run(options, settings) %}
  {% do dbt_kinds.check_nothing_unrecorded(run_context) %}
  {% do dbt_kinds.log_plan(run_context) %}
  {% do dbt_kinds.report_window(options, run_context.plan, settings) %}
  {% if run_context.has_nothing_to_do %}
    {% do dbt_kinds.fill_outbox(this, options) %}
    {% do dbt_kinds.drop_orphan_stages(this, options, run_context.plan.execution_time) %}
    {% do dbt_kinds.release_with_note(options, run_context.plan.execution_time, run_context.note) %}
    {% do dbt_kinds.mark_ended(model) %}
    {% do dbt_kinds.send_due_records() %}
    {% set status = dbt_kinds.with_ignored_refresh(options, dbt_kinds.idle_status(run_context.plan)) %}
    {% call noop_statement('main', status, rows_affected=0) %}{% endcall %}
    {% do return({'relations': [this.incorporate(type='table')]}) %}
  {% endif %}

  {% set plan = run_context.plan %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(options, 'its pre-hook', pre_hooks, run_context.window,
    plan.execution_time)) }}
  {% do dbt_kinds.reload_existing(this, run_context) if pre_hooks %}
  {% set batches, written = (plan.batches if dbt_kinds.writes_rows(options) else []), [] %}
  {% do dbt_kinds.prepare_table(this, run_context) if not batches %}
  {% for batch in batches %}
    {% set started_at = dbt_kinds.next_moment() %}
    {% do dbt_kinds.assert_lease(options) %}
    {% set query = dbt_kinds[options.traits.rows](this, run_context, loop.index) %}
    {% set audited = dbt_kinds.audited_query(this, run_context, batch, query) %}
    {% do dbt_kinds.check_first_batch(this, run_context, batch, audited) if loop.first %}
    {% do dbt_kinds.prepare_table(this, run_context) if loop.first and not run_context.get('is_idle') %}
    {# a stage may be the only complete copy left by a killed run, until the rebuild that replaces it is announced #}
    {% do dbt_kinds.drop_left_stages(this) if loop.first %}
    {% do dbt_kinds.invalidate(options, plan, batch) %}
    {% do written.append(dbt_kinds[options.traits.write](this, run_context, batch, audited)) %}
    {# what was asked of the table is no longer true #}
    {% do run_context.table_state.clear() %}
    {% do dbt_kinds.check_times(this, run_context, batch, query, written[-1]) %}
    {% if not written[-1].get('is_idle') %}
      {% do dbt_kinds.record_batch(run_context, loop.index, written[-1], started_at, has_more=post_hooks != []) %}
    {% endif %}
    {% do dbt_kinds.drop_stages(this) %}
  {% endfor %}

  {% set status = dbt_kinds.run_status(run_context, written) %}
  {% do dbt_kinds.check_times_of_nothing(run_context, written, at_once=pre_hooks != [] or post_hooks != []) %}
  {% do dbt_kinds.grant_and_document(this, run_context) %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(options, 'its post-hook', post_hooks, run_context.window,
    plan.execution_time)) }}
  {% do dbt_kinds.fill_outbox(this, options) %}
  {% do dbt_kinds.release_with_note(options, plan.execution_time, dbt_kinds.note_of_writes(written)) %}
  {% do dbt_kinds.mark_ended(model) %}
  {% do dbt_kinds.send_due_records() %}
  {% call noop_statement('main', dbt_kinds.with_ignored_refresh(options, status),
    rows_affected=dbt_kinds.rows_of_batches(written)) %}
    {{ written[-1].sql if written }}{% endcall %}
  {% do return({'relations': [this.incorporate(type='table')]}) %}
{% endmacro %}
