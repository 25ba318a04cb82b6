{# The `rows` of most kinds: the model's query in the batch's window, with this run's values substituted. #}
{% macro query_of_batch(relation, run_context, number) %}
  {% set plan = run_context.plan %}
  {% set query = dbt_kinds.substitute_window(run_context.sql,
    dbt_kinds.query_window(run_context.options, plan.batches[number - 1]), plan.execution_time) %}
  {% do return(dbt_kinds.with_run_values(dbt_kinds.run_values(run_context),
    dbt_kinds.with_change_sets(plan.get('change_sets'), query))) %}
{% endmacro %}
