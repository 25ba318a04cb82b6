{# The name of a table in the store: as addressed, without quotes and in lower case, because Spark ignores case. #}
{% macro relation_key(database, schema, identifier) %}
  {% do return([database, schema, identifier] | select | join('.') | lower) %}
{% endmacro %}
