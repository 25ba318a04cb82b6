{# What an operation answers, as the line of JSON that dbt-kinds looks for: its name first, whatever an engine does with the order of keys. #}
{% macro log_answer(operation, facts) %}
  {% do log('{"operation": "' ~ operation ~ '", ' ~ tojson(facts, sort_keys=true)[1:], info=true) %}
{% endmacro %}
