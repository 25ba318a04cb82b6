{# A text as a Spark string literal; none as null. Spark would put the value of a variable where it says ${…}, also within quotes. #}
{% macro text_literal(text) %}
  {% if text is none %}
    {% do return('null') %}
  {% endif %}
  {% do return("'" ~ text | string | replace('\\', '\\\\') | replace("'", "\\'") | replace('${', '$\\{') ~ "'") %}
{% endmacro %}
