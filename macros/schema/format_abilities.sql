{# Whether a table of a format is a folder of files, that replaces whole partitions and knows no commits. Pure. #}
{% macro is_of_files(file_format) %}
  {% do return(file_format in ['parquet', 'orc']) %}
{% endmacro %}


{# Whether a table of a format changes by commits, each of which is whole or not there, and can be replaced in one. Pure. #}
{% macro has_commits(file_format) %}
  {% do return(file_format in ['iceberg', 'delta']) %}
{% endmacro %}
