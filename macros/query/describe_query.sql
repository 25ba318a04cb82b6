{# The columns of a query, `[{name, type}]`, as Spark's analyzer sees them; nothing is computed. #}
{% macro describe_query(sql) %}
  {% set columns = [] %}
  {% for row in run_query('describe query\n' ~ sql).rows %}
    {% do columns.append({'name': row[0] | string, 'type': row[1]}) %}
  {% endfor %}
  {% do return(dbt_kinds.with_whole_types(columns, '(\n' ~ sql ~ '\n)')) %}
{% endmacro %}


{# `describe` cuts a struct of more than 25 fields short (measured on Spark 3.5.9); typeof does not. #}
{% macro with_whole_types(columns, source) %}
  {% for column in columns if dbt_kinds.parse_type(column.type).kind == 'truncated' %}
    {% do column.update({'type': run_query('select typeof(first(' ~ adapter.quote(column.name) ~ ')) from ' ~ source).rows[0][0]}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
