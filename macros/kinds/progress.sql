{% macro log_plan(options, plan) %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ plan.reason, info=plan.batches | length > 0) %}
{% endmacro %}


{% macro log_batch(options, plan, number, rows_written, seconds) %}
  {% set start, end = plan.batches[number - 1] %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': batch ' ~ number ~ ' of ' ~ plan.batches | length
    ~ ', ' ~ start ~ ' to ' ~ end ~ ': ' ~ '{:,}'.format(rows_written) ~ ' rows in ' ~ '%.1f' | format(seconds) ~ ' s', info=true) %}
{% endmacro %}


{# The words in dbt's status column. #}
{% macro run_status(written) %}
  {% set batches = written | length %}
  {% do return('OK ' ~ batches ~ (' batch, ' if batches == 1 else ' batches, ')
    ~ '{:,}'.format(written | sum(attribute='rows_written')) ~ ' rows') %}
{% endmacro %}
