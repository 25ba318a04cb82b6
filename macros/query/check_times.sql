{#
  If a first load by time wrote nothing: refuses, before the load is recorded, a query whose rows all have a NULL or unreadable time, because every later run would
  succeed without loading anything. Checks only until a batch had rows.
#}
{% macro check_times(relation, work, batch, query, written) %}
  {% if not work.start_anew or work.get('has_rows') or work.writer.get('bounds') is none or dbt_kinds.is_empty_run() %}
    {% do return(none) %}
  {% endif %}
  {% set rows = written.rows_written if written.rows_written is not none else dbt_kinds.query_rows(written.commit)[0].rows_written %}
  {% if rows %}
    {% do work.update({'has_rows': true}) %}
    {% do return(none) %}
  {% endif %}
  {% set found = dbt_kinds._times_of(work, query) %}
  {% if found.unread and found.unread == found.all_rows %}
    {% do dbt_kinds.fail(work.options.model, 'none of the ' ~ dbt_kinds.counted(found.all_rows, 'row', 'rows') ~ ' of its query in ' ~ batch | join(' to ') ~ ' has a time: '
      ~ dbt_kinds._unread_words(work, found)) %}
  {% endif %}
  {% do dbt_kinds._warn_of_times(work, found) %}
{% endmacro %}


{# If a later run wrote nothing: warns of such rows. #}
{% macro check_times_of_nothing(work, rows) %}
  {% if not rows and work.writer.get('bounds') is not none and not work.start_anew and not dbt_kinds.is_empty_run() %}
    {% do dbt_kinds._warn_of_times(work, dbt_kinds._times_of(work, work.sample_query)) %}
  {% endif %}
{% endmacro %}


{# The number of rows of a query, how many of them have no readable time, and one such value. #}
{% macro _times_of(work, query) %}
  {% set writer = work.writer %}
  {% set is_unread = '(' ~ dbt_kinds.microseconds(writer.time_column, writer.bounds) ~ ') is null' %}
  {% do return(dbt_kinds.query_rows('select count(*) as all_rows, count_if(' ~ is_unread ~ ') as unread, min(if(' ~ is_unread ~ ', cast(' ~ writer.time_column
    ~ ' as string), null)) as sample from (\n' ~ query ~ '\n)')[0]) %}
{% endmacro %}


{% macro _warn_of_times(work, found) %}
  {% if found.unread %}
    {% do dbt_kinds.warn(work.options.model, dbt_kinds.counted(found.unread, 'row', 'rows') ~ ' of ' ~ found.all_rows
      ~ ' are in no interval, and were not loaded: ' ~ dbt_kinds._unread_words(work, found)) %}
  {% endif %}
{% endmacro %}


{% macro _unread_words(work, found) %}
  {% set column, strftime = work.options.time_column.column, work.writer.bounds.strftime %}
  {% do return("time_column '" ~ column ~ "' is NULL" ~ (' or not written as ' ~ strftime ~ (", as in '" ~ found.sample ~ "'" if found.get('sample') is not none else '')
    ~ "; set time_column: {'column': '" ~ column ~ "', 'format': …}, or cast it in the query" if strftime is not none else '; leave such rows out, or give them a time')) %}
{% endmacro %}
