{# When the newest file of a table of files was written, as text; none where there is none, or the table knows its commits. #}
{% macro newest_file(relation, file_format) %}
  {% if file_format in ['iceberg', 'delta'] %}
    {% do return(none) %}
  {% endif %}
  {% do return(dbt_kinds.query_rows('select cast(max(_metadata.file_modification_time) as string) as newest from ' ~ relation)[0].get('newest')) %}
{% endmacro %}


{# SQL: whether a row's file was written after that. #}
{% macro is_newer_than(newest) %}
  {% do return('true' if newest is none else '_metadata.file_modification_time > timestamp ' ~ dbt_kinds.text_literal(newest)) %}
{% endmacro %}
