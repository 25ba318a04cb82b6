{# The number of rows in files of a table that were written after a moment, in microseconds since 1970; all rows if that is none. #}
{% macro rows_in_files_after(relation, newest) %}
  {% do return(dbt_kinds.query_rows('select count(*) as number from ' ~ relation ~ ' where ' ~ dbt_kinds.is_newer_than(newest))[0].number) %}
{% endmacro %}


{# SQL: whether a row's file was written after that moment. #}
{% macro is_newer_than(newest) %}
  {% do return('true' if newest is none else 'unix_micros(_metadata.file_modification_time) > ' ~ newest) %}
{% endmacro %}
