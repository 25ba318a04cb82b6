{#
  What a run of a time-range model has to do, checked against the table and the query as they are now, before anything is
  written: `{plan, is_done, window, existed, start_anew, existing, writer, sample_query}`, all but the first two only where there is something
  to do.
#}
{% macro time_range_work(options, settings, model_hash) %}
  {% set found = dbt_kinds.relation_type(this) %}
  {% set loads = dbt_kinds.loads_of(options.relation) if found == 'table' else [] %}
  {% set parents = dbt_kinds.followed_parents(model, options, compiled_code) if loads else [] %}
  {% set plan = dbt_kinds.plan_intervals(options, loads, settings, model_hash, parents) %}
  {% if not plan.batches and found == 'table' %}
    {% do return({'plan': plan, 'is_done': true}) %}
  {% endif %}

  {% set window = dbt_kinds.run_window(plan, settings) %}
  {% set sample_query = dbt_kinds.substitute_window(compiled_code, window, plan.execution_time) %}
  {% set existing = none if found is none else dbt_kinds.describe_table(this) %}
  {% set start_anew = found != 'table' or settings.full_refresh %}
  {% set writer = dbt_kinds.range_writer(options, dbt_kinds.describe_query(sample_query), none if start_anew else existing) %}
  {% do dbt_kinds.check_contract(sample_query) %}
  {% do dbt_kinds.check_can_replace(options, existing) if start_anew %}
  {% do return({
    'plan': plan, 'is_done': false, 'window': window, 'existed': found == 'table', 'start_anew': start_anew, 'existing': existing, 'writer': writer,
    'sample_query': sample_query,
  }) %}
{% endmacro %}
