{#
  What an operation answers, as the line of JSON that dbt-kinds looks for: its name first, whatever an engine does with the order of keys.
  It is what was asked for, so --quiet shows it, too.
#}
{% macro print_answer(operation, facts) %}
  {% do print('{"operation": "' ~ operation ~ '", ' ~ tojson(facts, sort_keys=true)[1:]) %}
{% endmacro %}
