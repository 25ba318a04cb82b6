{# Whether tables of a format are folders of files without commits, in which whole partitions are replaced. Pure. #}
{% macro is_file_format(file_format) %}
  {% do return(file_format in ['parquet', 'orc']) %}
{% endmacro %}


{# Whether tables of a format change by atomic commits, and can be replaced in one. Pure. #}
{% macro supports_snapshots(file_format) %}
  {% do return(file_format in ['iceberg', 'delta']) %}
{% endmacro %}
