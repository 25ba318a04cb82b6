{# What a run set out to do; with what would spare it, where it loads a table again that something else has filled. #}
{% macro log_plan(options, plan, is_there=false) %}
  {% set note = dbt_kinds.note_of_plan(options, plan, is_there) %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ plan.reason ~ ('; ' ~ note if note is not none else ''), info=plan.batches | length > 0) %}
{% endmacro %}


{# Of a first load over a table that is there: that the store can be told what it holds. none otherwise. Pure. #}
{% macro note_of_plan(options, plan, is_there) %}
  {% if not is_there or plan.reason != 'first load' or not plan.batches or options.kind == 'full' or dbt_kinds.keeps_history(options) %}
    {% do return(none) %}
  {% endif %}
  {% do return('the table is there and nothing is recorded of it, so all of it is loaded again; to record what it holds instead: '
    ~ "dbt run-operation dbt_kinds.adopt --args '{select: " ~ options.model ~ "}'") %}
{% endmacro %}


{#
  A window that somebody asked for and that the model may not load: none of it is a warning, for the run will say that all is up to date; a part of it
  is said.
#}
{% macro report_window(options, plan, settings) %}
  {% set asked = settings.start ~ ' to ' ~ settings.end %}
  {% if settings.start is none or settings.end is none or options.kind == 'full' %}
    {% do return(none) %}
  {% elif plan.start is none %}
    {% do exceptions.warn('dbt_kinds: model ' ~ options.model ~ ': nothing of the window ' ~ asked ~ ' can be loaded: ' ~ plan.reason
      ~ ', which is from the start of the model to the last interval that is complete') %}
  {% elif plan.start > settings.start or plan.end < settings.end %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': the window ' ~ asked ~ ' is cut to ' ~ plan.start ~ ' to ' ~ plan.end ~ ', what the model may load', info=true) %}
  {% endif %}
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
  {% set rows = dbt_kinds.rows_added_since(relation, work.head_before, by_appends=work.writer.get('in_one_commit') == false) if uncounted else written | map(attribute='rows_written') | sum %}
  {% do dbt_kinds.check_times_of_nothing(work, rows) %}
  {% do return('OK ' ~ dbt_kinds.counted(written | length, 'batch', 'batches') ~ ', ' ~ dbt_kinds.counted(rows, 'row', 'rows')) %}
{% endmacro %}


{# `1 row`, `2 rows`: a number with its word. Pure. #}
{% macro counted(number, one, many) %}
  {% do return(dbt_kinds.thousands(number) ~ ' ' ~ (one if number == 1 else many)) %}
{% endmacro %}
