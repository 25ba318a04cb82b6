{#
  Prints the answer of an operation as the line of JSON that dbt-kinds looks for: with the operation's name first,
  whatever an engine does with the order of keys.
  It is the requested output, so it is printed even under --quiet.
#}
{% macro print_answer(operation, facts) %}
  {% do print('{"operation": "' ~ operation ~ '", ' ~ tojson(facts, sort_keys=true)[1:]) %}
{% endmacro %}


{# Tells dbt-kinds, in dbt's debug log, which model an error of Spark is about that comes next: no macro can catch
   one. #}
{% macro say_what_is_looked_at(options) %}
  {% do log('dbt_kinds: looks at model ' ~ options.model) %}
{% endmacro %}
