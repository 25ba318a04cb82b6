{# The column of that name, whatever its case, or none. #}
{% macro find_column(columns, name) %}
  {% for column in columns if column.name | lower == name | lower %}
    {% do return(column) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}
