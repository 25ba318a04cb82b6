{# A string as a Spark string literal; none as null. Spark substitutes variables for ${…}, even within quotes. #}
{% macro text_literal(text) %}
  {% if text is none %}
    {% do return('null') %}
  {% endif %}
  {% do return("'" ~ text | string | replace('\\', '\\\\') | replace("'", "\\'") | replace('${', '$\\{') ~ "'") %}
{% endmacro %}
