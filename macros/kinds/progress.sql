{% macro log_plan(options, plan) %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ plan.reason, info=plan.batches | length > 0) %}
{% endmacro %}


{% macro log_batch(options, plan, number, rows_written, seconds) %}
  {% set start, end = plan.batches[number - 1] %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': batch ' ~ number ~ ' of ' ~ plan.batches | length
    ~ ', ' ~ start ~ ' to ' ~ end ~ ': ' ~ (dbt_kinds.counted(rows_written, 'row', 'rows') if rows_written is not none else 'written')
    ~ ' in ' ~ '%.1f' | format(seconds) ~ ' s', info=true) %}
{% endmacro %}


{# The words in dbt's status column. Where the records took the number of rows along, the table is asked for it once. #}
{% macro run_status(relation, work, written) %}
  {% if not written %}
    {% do return('OK nothing loaded') %}
  {% endif %}
  {% set uncounted = written | selectattr('rows_written', 'none') | list %}
  {% set rows = dbt_kinds.rows_added_since(relation, work.head_before) if uncounted else written | sum(attribute='rows_written') %}
  {% do return('OK ' ~ dbt_kinds.counted(written | length, 'batch', 'batches') ~ ', ' ~ dbt_kinds.counted(rows, 'row', 'rows')) %}
{% endmacro %}


{# `1 row`, `2 rows`: a number with its word. Pure. #}
{% macro counted(number, one, many) %}
  {% do return('{:,}'.format(number) ~ ' ' ~ (one if number == 1 else many)) %}
{% endmacro %}
