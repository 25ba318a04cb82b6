{#
  The plan of a model, with late data from its sources, and without the units whose sources are not complete. The query of ready_until only runs if something would be loaded for the
  first time, or if a window is requested, which it does not hold back.
#}
{% macro gated_plan(node, options, loads, settings, model_hash, parents, batches, sql) %}
  {% do dbt_kinds.check_ready_until(node, options) if options.ready_until is not none %}
  {% set gates = dbt_kinds.awaited_parents(node, options, sql) %}
  {% set found = dbt_kinds.late_data(node, options, loads, settings, sql, parents) %}
  {% set plan = dbt_kinds.plan_intervals(options, loads, settings, model_hash, parents, batches, gates, found.late) %}
  {% if options.ready_until is not none and (plan.missing or plan.lookback or plan.waiting or settings.start is not none) %}
    {% set gates = [dbt_kinds.ready_until(node, options)] + gates %}
    {% set plan = dbt_kinds.plan_intervals(options, loads, settings, model_hash, parents, batches, gates, found.late) %}
  {% endif %}
  {% do return(dict(plan, sources=found.sources, **dbt_kinds.plan_notes(options, plan, loads, settings, model_hash))) %}
{% endmacro %}
