{# The column with that name, regardless of case, or none. #}
{% macro find_column(columns, name) %}
  {% for column in columns if column.name | lower == name | lower %}
    {% do return(column) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# Columns by their names in lower case, for those who look up many. Pure. #}
{% macro columns_by_name(columns) %}
  {% set by_name = {} %}
  {% for column in columns %}{% do by_name.update({column.name | lower: column}) %}{% endfor %}
  {% do return(by_name) %}
{% endmacro %}
