{# The SQL of one batch, for every kind: what the kind's `rows` returns, with its values as the table will hold them. #}
{% macro batch_query(relation, run_context, number) %}
  {% do return(dbt_kinds.rows_as_stored(run_context.write_spec, dbt_kinds[run_context.options.traits.rows](relation, run_context, number))) %}
{% endmacro %}


{# The `rows` of most kinds: the model's query in the batch's window, with this run's values substituted. #}
{% macro query_of_batch(relation, run_context, number) %}
  {% set plan = run_context.plan %}
  {% set query = dbt_kinds.substitute_window(run_context.sql, dbt_kinds.query_window(run_context.options, plan.batches[number - 1]), plan.execution_time) %}
  {% do return(dbt_kinds.with_run_values(dbt_kinds.run_values(run_context), dbt_kinds.with_change_sets(plan.get('change_sets'), query))) %}
{% endmacro %}
