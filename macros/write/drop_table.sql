{# Drops a table that a run made beside a model's own, or the store's, with its files. #}
{% macro drop_table(table) %}
  {% call statement('drop') %}drop table if exists {{ table }}{{ ' purge' if adapter.type() == 'spark' }}{% endcall %}
{% endmacro %}
