{#
  If a first load by time wrote nothing: refuses, before the load is recorded, a query whose rows all have a NULL or unreadable time, because every later run would
  succeed without loading anything. Checks only until a batch had rows.
#}
{% macro check_times(relation, run_context, batch, query, written) %}
  {% if not run_context.start_anew or run_context.get('has_rows') or run_context.write_spec.get('bounds') is none or dbt_kinds.is_empty_run() %}
    {% do return(none) %}
  {% endif %}
  {% set rows = written.rows_written if written.rows_written is not none else dbt_kinds.query_rows(written.commit)[0].rows_written %}
  {% if rows %}
    {% do run_context.update({'has_rows': true}) %}
    {% do return(none) %}
  {% endif %}
  {% set found = dbt_kinds._times_of(run_context, query) %}
  {% if found.unread and found.unread == found.all_rows %}
    {% do dbt_kinds.fail(run_context.options.model, 'none of the ' ~ dbt_kinds.counted(found.all_rows, 'row', 'rows') ~ ' of its query in ' ~ batch | join(' to ') ~ ' has a time: '
      ~ dbt_kinds._unread_words(run_context, found)) %}
  {% endif %}
  {% do dbt_kinds._warn_of_times(run_context, found) %}
{% endmacro %}


{# If a later run wrote nothing: warns of such rows. #}
{% macro check_times_of_nothing(run_context, rows) %}
  {% if not rows and run_context.write_spec.get('bounds') is not none and not run_context.start_anew and not dbt_kinds.is_empty_run() %}
    {% do dbt_kinds._warn_of_times(run_context, dbt_kinds._times_of(run_context, run_context.sample_query)) %}
  {% endif %}
{% endmacro %}


{# The number of rows of a query, how many of them have no readable time, and one such value. #}
{% macro _times_of(run_context, query) %}
  {% set write_spec = run_context.write_spec %}
  {% set is_unread = '(' ~ dbt_kinds.microseconds(write_spec.time_column, write_spec.bounds) ~ ') is null' %}
  {% do return(dbt_kinds.query_rows('select count(*) as all_rows, count_if(' ~ is_unread ~ ') as unread, min(if(' ~ is_unread ~ ', cast(' ~ write_spec.time_column
    ~ ' as string), null)) as sample from (\n' ~ query ~ '\n)')[0]) %}
{% endmacro %}


{% macro _warn_of_times(run_context, found) %}
  {% if found.unread %}
    {% do dbt_kinds.warn(run_context.options.model, dbt_kinds.counted(found.unread, 'row', 'rows') ~ ' of ' ~ found.all_rows
      ~ ' are in no interval, and were not loaded: ' ~ dbt_kinds._unread_words(run_context, found)) %}
  {% endif %}
{% endmacro %}


{% macro _unread_words(run_context, found) %}
  {% set column, strftime = run_context.options.time_column.column, run_context.write_spec.bounds.strftime %}
  {% do return("time_column '" ~ column ~ "' is NULL" ~ (' or not written as ' ~ strftime ~ (", as in '" ~ found.sample ~ "'" if found.get('sample') is not none else '')
    ~ "; set time_column: {'column': '" ~ column ~ "', 'format': …}, or cast it in the query" if strftime is not none else '; leave such rows out, or give them a time')) %}
{% endmacro %}
