{#
  What every kind does: plan, lease, and for each batch in the order of time its query, its write and its record. A kind is two macros:
  `prepare(options, query_columns, existing)` finds out and checks everything before anything is written and returns the kind's writer,
  `write(relation, work, batch, query)` writes one batch and returns `{rows_written, snapshot_id, sql}`. To be returned by a materialization.
#}
{% macro load_intervals(prepare, write) %}
  {% do dbt_kinds.check_adapter(model.name) %}
  {% do dbt_kinds.check_query(model) %}
  {% do dbt_kinds.check_proven(model) %}
  {% set options = dbt_kinds.options_of(model) %}
  {% set settings = dbt_kinds.backbuild_settings(model, dbt_kinds.run_settings(model.name, dbt_kinds.full_refresh_of(options)), selected_resources) %}
  {% if dbt_kinds.is_unsettled(options.relation) %}
    {% do dbt_kinds.claim(options, {'execution_time': settings.execution_time, 'batches': []}) %}
    {% do dbt_kinds.settle_pending_write(options, settings) %}
  {% endif %}
  {% set work = dbt_kinds.work_to_do(options, settings, prepare) %}
  {% if not work.is_done %}
    {% set others_wrote = dbt_kinds.claim(options, work.plan) %}
    {% if dbt_kinds.settle_pending_write(options, settings) or others_wrote %}
      {% set work = dbt_kinds.work_to_do(options, settings, prepare) %}
    {% endif %}
    {% do dbt_kinds.check_no_unrecorded_rows(work) %}
    {% do dbt_kinds.check_no_unrecorded_history(work) %}
  {% endif %}
  {% do dbt_kinds.log_plan(options, work.plan) %}
  {% if work.is_done %}
    {% do dbt_kinds.release_lease_of(options) %}
    {% call noop_statement('main', 'OK up to date') %}{% endcall %}
    {% do return({'relations': [this.incorporate(type='table')]}) %}
  {% endif %}

  {% set plan = work.plan %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(pre_hooks, work.window, plan.execution_time)) }}
  {% do dbt_kinds.prepare_table(this, work) %}
  {% set written = [] %}
  {% for batch in (plan.batches if dbt_kinds.writes_rows(options) else []) %}
    {% set started_at = dbt_kinds.next_moment() %}
    {% set query = dbt_kinds.substitute_window(compiled_code, dbt_kinds.query_window(options, batch), plan.execution_time) %}
    {% do dbt_kinds.hold_lease(options) %}
    {# a merge may be done again: what it did stays as it is, and is recorded until the table is put back #}
    {% do dbt_kinds.invalidate(options, plan, batch) if not dbt_kinds.keeps_history(options) %}
    {% do written.append(write(this, work, batch, query)) %}
    {% do dbt_kinds.record_batch(work, loop.index, written[-1], started_at) %}
    {% do dbt_kinds.drop_stages(this) if written[-1].is_staged %}
  {% endfor %}

  {% do dbt_kinds.grant_and_document(this, work) %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(post_hooks, work.window, plan.execution_time)) }}
  {% do dbt_kinds.release_lease_of(options) %}
  {% call noop_statement('main', dbt_kinds.run_status(written)) %}{{ written[-1].sql if written }}{% endcall %}
  {% do return({'relations': [this.incorporate(type='table')]}) %}
{% endmacro %}
