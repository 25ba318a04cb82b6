{# How the store names a table: as addressed, without quotes. Spark ignores case. #}
{% macro relation_key(database, schema, identifier) %}
  {% do return([database, schema, identifier] | select | join('.') | lower) %}
{% endmacro %}
