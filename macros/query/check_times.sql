{#
  If a first load by time wrote nothing: refuses, before the load is recorded, a query whose rows all have a NULL or
  unreadable time, because every later run would succeed without loading anything. Checks only until a batch had rows.
#}
{% macro check_times(relation, run_context, batch, query, written) %}
  {% if not run_context.start_anew or run_context.get('has_rows') or run_context.write_spec.get('bounds') is none
      or dbt_kinds.is_empty_run() %}
    {% do return(none) %}
  {% endif %}
  {% set rows = dbt_kinds.rows_of_write(written) %}
  {% do written.update({'rows_written': rows}) %}
  {% if rows %}
    {% do run_context.update({'has_rows': true}) %}
    {% do return(none) %}
  {% endif %}
  {% set check = dbt_kinds._check_of_times(run_context, query) %}
  {% set found = dbt_kinds.query_rows(check.query)[0] %}
  {% if found.unread and found.unread == found.all_rows %}
    {% do dbt_kinds.fail(run_context.options.model,
      'none of the ' ~ dbt_kinds.counted(found.all_rows, 'row', 'rows') ~ ' of its query in ' ~ batch | join(' to ')
        ~ ' has a time: '
        ~ dbt_kinds._unread_words(check, found)) %}
  {% endif %}
  {% do dbt_kinds._warn_of_times(check, found) %}
{% endmacro %}


{#
  If a later run wrote nothing: warns of such rows. That is looked up for all models together when the run ends, unless
  it is to be done `at_once`, as for a model with hooks: they may set up what its query reads, and take it away. Of a
  sample nobody knows how many rows it wrote.
#}
{% macro check_times_of_nothing(run_context, written, at_once) %}
  {% set rows = dbt_kinds.rows_of_batches(written) %}
  {% if not written or rows or run_context.write_spec.get('bounds') is none or run_context.start_anew
      or dbt_kinds.is_empty_run() or (rows is none and dbt_kinds.is_sample_run()) %}
    {% do return(none) %}
  {% endif %}
  {% set check = dbt_kinds._check_of_times(run_context, run_context.query_in_window) %}
  {% set checks = {run_context.options.relation: dict(check, wrote_nothing=rows == 0)} %}
  {% if at_once %}
    {% do dbt_kinds._warn_where_nothing_was_written(checks) %}
  {% else %}
    {% do dbt_kinds.run_memory('times').update(checks) %}
  {% endif %}
{% endmacro %}


{# Called when a run ends. #}
{% macro check_times_of_run() %}
  {% set checks = dbt_kinds.run_memory('times') if execute else {} %}
  {% do dbt_kinds._warn_where_nothing_was_written(checks) if checks %}
{% endmacro %}


{# `checks` are those of _check_of_times by relation, with `wrote_nothing`: whether the run knows that; if it does not,
   the store does, which is asked once for all, as are the queries of those that wrote nothing. #}
{% macro _warn_where_nothing_was_written(checks) %}
  {% set recorded = dbt_kinds.rows_recorded() if checks.values() | rejectattr('wrote_nothing') | list else {} %}
  {% set queries = [] %}
  {% for relation, check in checks.items() if check.wrote_nothing or recorded.get(relation) == 0 %}
    {% do queries.append('select ' ~ dbt_kinds.text_literal(relation)
      ~ ' as relation, all_rows, unread, sample from (\n' ~ check.query ~ '\n)') %}
  {% endfor %}
  {% for found in (dbt_kinds.query_rows(queries | join('\nunion all\n')) if queries else [])
      | sort(attribute='relation') %}
    {% do dbt_kinds._warn_of_times(checks[found.relation], found) %}
  {% endfor %}
{% endmacro %}


{# How the times of a query are looked at, `{model, column, strftime, query}`: that query returns the number of its
   rows, how many of them have no readable time, and one such value. #}
{% macro _check_of_times(run_context, query) %}
  {% set write_spec = run_context.write_spec %}
  {% set is_unread = '(' ~ dbt_kinds.microseconds(write_spec.time_column, write_spec.bounds) ~ ') is null' %}
  {% do return({
    'model': run_context.options.model, 'column': run_context.options.time_column.column,
    'strftime': write_spec.bounds.strftime,
    'query': 'select count(*) as all_rows, count_if(' ~ is_unread ~ ') as unread, min(if(' ~ is_unread ~ ', cast('
      ~ write_spec.time_column
      ~ ' as string), null)) as sample from (\n' ~ query ~ '\n)',
  }) %}
{% endmacro %}


{% macro _warn_of_times(check, found) %}
  {% if found.unread %}
    {% do dbt_kinds.warn(check.model, dbt_kinds.counted(found.unread, 'row', 'rows') ~ ' of ' ~ found.all_rows
      ~ ' are in no interval, and were not loaded: ' ~ dbt_kinds._unread_words(check, found)) %}
  {% endif %}
{% endmacro %}


{% macro _unread_words(check, found) %}
  {% set column, strftime = check.column, check.strftime %}
  {% do return("time_column '" ~ column ~ "' is NULL"
    ~ (' or not written as ' ~ strftime ~ (", as in '" ~ found.sample ~ "'" if found.get('sample') is not none else '')
    ~ "; set time_column: {'column': '" ~ column ~ "', 'format': …}, or cast it in the query" if strftime is not none
    else '; leave such rows out, or give them a time')) %}
{% endmacro %}
