{# The column with that name, regardless of case, or none. #}
{% macro find_column(columns, name) %}
  {% for column in columns if column.name | lower == name | lower %}
    {% do return(column) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}
