{# Rows sorted by an attribute in descending order; equal ones keep their order, which dbt 2.0 would reverse. Pure. #}
{% macro sorted_backwards(rows, attribute) %}
  {% set sorted = [] %}
  {% for _, group in rows | groupby(attribute) | list | reverse %}
    {% do sorted.extend(group) %}
  {% endfor %}
  {% do return(sorted) %}
{% endmacro %}
