{% macro log_plan(options, plan) %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ plan.reason, info=plan.batches | length > 0) %}
{% endmacro %}


{% macro log_batch(options, plan, number, rows_written, seconds) %}
  {% set start, end = plan.batches[number - 1] %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': batch ' ~ number ~ ' of ' ~ plan.batches | length
    ~ ', ' ~ start ~ ' to ' ~ end ~ ': ' ~ dbt_kinds._counted(rows_written, 'row', 'rows') ~ ' in ' ~ '%.1f' | format(seconds) ~ ' s', info=true) %}
{% endmacro %}


{# The words in dbt's status column. #}
{% macro run_status(written) %}
  {% if not written %}
    {% do return('OK nothing loaded') %}
  {% endif %}
  {% do return('OK ' ~ dbt_kinds._counted(written | length, 'batch', 'batches')
    ~ ', ' ~ dbt_kinds._counted(written | sum(attribute='rows_written'), 'row', 'rows')) %}
{% endmacro %}


{% macro _counted(number, one, many) %}
  {% do return('{:,}'.format(number) ~ ' ' ~ (one if number == 1 else many)) %}
{% endmacro %}
