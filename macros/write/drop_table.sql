{# Drops a table that a run created beside a model's table or the store, with its files. #}
{% macro drop_table(table) %}
  {% call statement('drop') %}drop table if exists {{ table }}{{ ' purge' if adapter.type() == 'spark' }}{% endcall %}
{% endmacro %}
