{# A text as a Spark string literal; none as null. #}
{% macro text_literal(text) %}
  {% if text is none %}
    {% do return('null') %}
  {% endif %}
  {% do return("'" ~ text | string | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") %}
{% endmacro %}
