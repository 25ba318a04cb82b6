{% materialization incremental_by_time_range, default %}
  {% do dbt_kinds.check_adapter(model.name) %}
  {% do dbt_kinds.check_query(model) %}
  {% set options = dbt_kinds.options_of(model) %}
  {% set settings = dbt_kinds.run_settings(model.name, dbt_kinds.full_refresh_of(options)) %}
  {% set model_hash = dbt_kinds.model_hash(options, compiled_code) %}
  {% set work = dbt_kinds.time_range_work(options, settings, model_hash) %}
  {% if not work.is_done and dbt_kinds.claim(options, work.plan) %}
    {% set work = dbt_kinds.time_range_work(options, settings, model_hash) %}
  {% endif %}
  {% do dbt_kinds.log_plan(options, work.plan) %}
  {% if work.is_done %}
    {% do dbt_kinds.release_lease_of(options) %}
    {% call noop_statement('main', 'OK up to date') %}{% endcall %}
    {% do return({'relations': [this.incorporate(type='table')]}) %}
  {% endif %}

  {% set plan, writer = work.plan, work.writer %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(pre_hooks, work.window, plan.execution_time)) }}
  {% if work.start_anew %}
    {% do dbt_kinds.invalidate_all(options, plan) %}
    {% do dbt_kinds.create_table(this, work.existing, options.file_format, writer.partitioning, work.sample_query) %}
  {% endif %}

  {% set written = [] %}
  {% for batch in plan.batches if not dbt_kinds.is_empty_run() %}
    {% set started_at = dbt_kinds.next_moment() %}
    {% set query = dbt_kinds.substitute_window(compiled_code, batch, plan.execution_time) %}
    {% set condition = dbt_kinds.range_condition(writer.time_column, writer.bounds, batch) %}
    {% do dbt_kinds.hold_lease(options) %}
    {% do dbt_kinds.invalidate(options, plan, batch) %}
    {% do written.append(dbt_kinds.replace_range(this, writer, query, condition)) %}
    {% do dbt_kinds.record_batch(options, plan, loop.index, written[-1], model_hash, started_at) %}
  {% endfor %}

  {% do dbt_kinds.grant_and_document(this, work.existed) %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(post_hooks, work.window, plan.execution_time)) }}
  {% do dbt_kinds.release_lease_of(options) %}
  {% call noop_statement('main', dbt_kinds.run_status(written)) %}{{ written[-1].sql if written }}{% endcall %}
  {% do return({'relations': [this.incorporate(type='table')]}) %}
{% endmaterialization %}
