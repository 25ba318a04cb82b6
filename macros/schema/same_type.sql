{# Whether two parsed types are the same, with fields in the same order; names are compared case-insensitively, as in
   Spark. #}
{% macro same_type(left, right) %}
  {% if left.kind != right.kind or left.kind == 'truncated' %}
    {% do return(false) %}
  {% elif left.kind == 'array' %}
    {% do return(dbt_kinds.same_type(left.element, right.element)) %}
  {% elif left.kind == 'map' %}
    {% do return(dbt_kinds.same_type(left.key, right.key) and dbt_kinds.same_type(left.value, right.value)) %}
  {% elif left.kind == 'atomic' %}
    {% do return(left.text == right.text) %}
  {% endif %}
  {% if left.fields | length != right.fields | length %}
    {% do return(false) %}
  {% endif %}
  {% for field in left.fields %}
    {% set other = right.fields[loop.index0] %}
    {% if field.name | lower != other.name | lower or not dbt_kinds.same_type(field.type, other.type) %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}
