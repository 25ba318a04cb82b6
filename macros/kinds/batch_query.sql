{# The query of one batch, its rows as the table will hold them. #}
{% macro batch_query(relation, work, number) %}
  {% do return(dbt_kinds.rows_as_stored(work.writer, dbt_kinds[work.options.traits.rows](relation, work, number))) %}
{% endmacro %}


{# The model's query with this run's values substituted. #}
{% macro query_of_batch(relation, work, number) %}
  {% set plan = work.plan %}
  {% set query = dbt_kinds.substitute_window(work.sql, dbt_kinds.query_window(work.options, plan.batches[number - 1]), plan.execution_time) %}
  {% do return(dbt_kinds.with_run_values(dbt_kinds.run_values(work), dbt_kinds.with_change_sets(plan.get('change_sets'), query))) %}
{% endmacro %}
