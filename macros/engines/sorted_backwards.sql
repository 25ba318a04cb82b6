{# Rows by an attribute, the greatest first, those with the same one in the order they came: dbt 2.0 turns them round, too. Pure. #}
{% macro sorted_backwards(rows, attribute) %}
  {% set sorted = [] %}
  {% for _, group in rows | groupby(attribute) | list | reverse %}
    {% do sorted.extend(group) %}
  {% endfor %}
  {% do return(sorted) %}
{% endmacro %}
