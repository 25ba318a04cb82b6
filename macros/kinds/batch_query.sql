{# The query of one batch, with this run's values substituted; for `events`, which have no query, the rows of the landed files. #}
{% macro batch_query(relation, work, number) %}
  {% set plan = work.plan %}
  {% if work.options.kind == 'events' %}
    {% do return(dbt_kinds.rows_as_stored(work.writer, dbt_kinds.landed_rows(relation, work, number))) %}
  {% endif %}
  {% set query = dbt_kinds.substitute_window(work.sql, dbt_kinds.query_window(work.options, plan.batches[number - 1]), plan.execution_time) %}
  {% do return(dbt_kinds.rows_as_stored(work.writer, dbt_kinds.with_run_values(dbt_kinds.run_values(work), dbt_kinds.with_change_sets(plan.get('change_sets'), query)))) %}
{% endmacro %}
