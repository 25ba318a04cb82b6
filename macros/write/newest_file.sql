{# What commit_of returns, for a table of files: the rows in files that were written after a moment, in microseconds
   since 1970; all rows if that is none. They are counted with the record. #}
{% macro files_of_write(relation, newest=none) %}
  {% do return(dbt_kinds.rows_where(relation, dbt_kinds.is_newer_than(newest))) %}
{% endmacro %}


{# The same, where the rows are those that meet a condition after the write. #}
{% macro rows_where(relation, condition) %}
  {% do return({'commit': {'relation': relation | string, 'files': condition}, 'rows_written': none}) %}
{% endmacro %}


{# SQL: whether a row's file was written after that moment. #}
{% macro is_newer_than(newest) %}
  {% do return('true' if newest is none else 'unix_micros(_metadata.file_modification_time) > ' ~ newest) %}
{% endmacro %}
