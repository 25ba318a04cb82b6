{# Whether a change loses data that the table holds, or cannot keep it. #}
{% macro is_destructive(change) %}
  {% do return(change.change in ['drop', 'alter']) %}
{% endmacro %}
