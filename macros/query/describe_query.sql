{# The columns of a query, `[{name, type}]`, as Spark's analyzer sees them; nothing is computed. #}
{% macro describe_query(sql) %}
  {% set described = run_query('describe query\n' ~ sql) %}
  {% set columns = [] %}
  {% for row in described.rows %}
    {% do columns.append({'name': row[0] | string, 'type': row[1]}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
