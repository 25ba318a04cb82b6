{% materialization incremental_by_time_range, default %}
  {% do dbt_kinds.check_adapter(model.name) %}
  {% do dbt_kinds.check_query(model) %}
  {% set options = dbt_kinds.options(model) %}
  {% set settings = dbt_kinds.run_settings(model.name, dbt_kinds.full_refresh_of(options)) %}
  {% set found = dbt_kinds.relation_type(this) %}
  {% set plan = dbt_kinds.plan_intervals(options, dbt_kinds.coverage(options.relation) if found == 'table' else [], settings) %}
  {% do dbt_kinds.log_plan(options, plan) %}
  {% if not plan.batches and found == 'table' %}
    {% call noop_statement('main', 'OK up to date') %}{% endcall %}
    {% do return({'relations': [this.incorporate(type='table')]}) %}
  {% endif %}

  {% set window = dbt_kinds.run_window(plan, settings) %}
  {% set sample_query = dbt_kinds.substitute_window(compiled_code, window, plan.execution_time) %}
  {% set existing = none if found is none else dbt_kinds.describe_table(this) %}
  {% set start_anew = found != 'table' or settings.full_refresh %}
  {% set writer = dbt_kinds.range_writer(options, dbt_kinds.describe_query(sample_query), none if start_anew else existing) %}
  {% do dbt_kinds.check_contract(sample_query) %}
  {% do dbt_kinds.check_can_replace(options, existing) if start_anew %}

  {{ run_hooks(dbt_kinds.substitute_in_hooks(pre_hooks, window, plan.execution_time)) }}
  {% if start_anew %}
    {% do dbt_kinds.invalidate_all(options, plan) %}
    {% do dbt_kinds.create_table(this, existing, options.file_format, writer.partitioning, sample_query) %}
  {% endif %}

  {% set model_hash = dbt_kinds.model_hash(options, compiled_code) %}
  {% set written = [] %}
  {% for batch in plan.batches if not dbt_kinds.is_empty_run() %}
    {% set started = modules.datetime.datetime.now() %}
    {% set query = dbt_kinds.substitute_window(compiled_code, batch, plan.execution_time) %}
    {% set condition = dbt_kinds.range_condition(writer.time_column, writer.bounds, batch) %}
    {% do dbt_kinds.invalidate(options, plan, batch) %}
    {% do written.append(dbt_kinds.replace_range(this, writer, query, condition)) %}
    {% do dbt_kinds.record_batch(options, plan, loop.index, written[-1], model_hash, started) %}
  {% endfor %}

  {% do dbt_kinds.grant_and_document(this, found == 'table') %}
  {{ run_hooks(dbt_kinds.substitute_in_hooks(post_hooks, window, plan.execution_time)) }}
  {% call noop_statement('main', dbt_kinds.run_status(written)) %}{{ written[-1].sql if written }}{% endcall %}
  {% do return({'relations': [this.incorporate(type='table')]}) %}
{% endmaterialization %}
