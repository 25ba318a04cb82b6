{# When the newest file of a table of files was written, in microseconds since 1970; none where there is none, or the table knows its commits. #}
{% macro newest_file(relation, file_format) %}
  {% if file_format in ['iceberg', 'delta'] %}
    {% do return(none) %}
  {% endif %}
  {% set newest = 'select unix_micros(max(_metadata.file_modification_time)) as newest from ' ~ relation %}
  {% do return(dbt_kinds.query_rows(newest)[0].get('newest')) %}
{% endmacro %}


{# SQL: whether a row's file was written after that. #}
{% macro is_newer_than(newest) %}
  {% do return('true' if newest is none else 'unix_micros(_metadata.file_modification_time) > ' ~ newest) %}
{% endmacro %}
