{# The columns of a query, `[{name, type}]`, as Spark's analyzer sees them; nothing is computed. #}
{% macro describe_query(sql) %}
  {% do return(dbt_kinds.with_whole_types(dbt_kinds._described('describe query\n' ~ sql), '(\n' ~ sql ~ '\n)')) %}
{% endmacro %}


{#
  The columns of a query, the types of expressions over it, and the columns of a table, `{query, expressions, table}`, in one statement that marks
  each part. The query begins on the second line, so that line numbers in Spark's messages match the model's.
#}
{% macro describe_write(sql, expressions=[], table=none) %}
  {% set asked, sources = ['query.*'], ['(\n' ~ sql ~ '\n) as query'] %}
  {% if expressions %}
    {% do asked.extend(['1 as __kinds_expressions', 'expressions.*']) %}
    {% do sources.append('(select (' ~ expressions | join('), (') ~ ') from (\n' ~ sql ~ '\n)) as expressions') %}
  {% endif %}
  {% if table is not none %}
    {% do asked.extend(['1 as __kinds_table', 'stored.*']) %}
    {% do sources.append('(select * from ' ~ table ~ ') as stored') %}
  {% endif %}
  {% set described = {'query': [], 'expressions': [], 'table': []} %}
  {% set state = namespace(part='query') %}
  {% for column in dbt_kinds._described('describe query select ' ~ asked | join(', ') ~ ' from ' ~ sources | join(' cross join ')) %}
    {% if column.name in ['__kinds_expressions', '__kinds_table'] %}
      {% set state.part = column.name[8:] %}
    {% else %}
      {% do described[state.part].append(column) %}
    {% endif %}
  {% endfor %}
  {% do dbt_kinds.with_whole_types(described.query, '(\n' ~ sql ~ '\n)') %}
  {% do dbt_kinds.with_whole_types(described.table, table) %}
  {% do return(described) %}
{% endmacro %}


{# `describe` truncates a struct of more than 25 fields (measured on Spark 3.5.9); typeof does not. #}
{% macro with_whole_types(columns, source) %}
  {% for column in columns if dbt_kinds.parse_type(column.type).kind == 'truncated' %}
    {% do column.update({'type': run_query('select typeof(first(' ~ dbt_kinds.quoted(column.name) ~ ')) from ' ~ source).rows[0][0]}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}


{% macro _described(statement) %}
  {% set columns = [] %}
  {% for row in run_query(statement).rows %}
    {% do columns.append({'name': row[0] | string, 'type': row[1]}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
