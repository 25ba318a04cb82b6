{# Drops a table with its files. Without purge, Iceberg's session catalog leaves those of a Parquet table, and the next
   create fails (measured); Databricks has no purge. #}
{% macro drop_table(table) %}
  {% call statement('drop') %}drop table if exists {{ table }}{{ ' purge' if adapter.type() == 'spark' }}{% endcall %}
{% endmacro %}
