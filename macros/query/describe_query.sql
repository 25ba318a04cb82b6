{# The columns of a query, `[{name, type}]`, and `comment` for one that has a comment, as Spark's analyzer sees them;
   nothing is computed. #}
{% macro describe_query(sql) %}
  {% do return(dbt_kinds.with_whole_types(dbt_kinds._described('describe query\n' ~ sql), '(\n' ~ sql ~ '\n)')) %}
{% endmacro %}


{#
  The columns of a query, the types of expressions over it, and the columns of a table, `{query, expressions, table}`,
  in one statement that marks each part. The query begins on the second line, so that line numbers in Spark's messages
  match the model's.
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
  {% for column in dbt_kinds._described('describe query select ' ~ asked | join(', ') ~ ' from '
      ~ sources | join(' cross join ')) %}
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


{#
  `describe` truncates a struct of more than 25 fields (measured on Spark 3.5.9); so its fields are described one by
  one. typeof() has the whole text, but evaluates what it is asked about.
#}
{% macro with_whole_types(columns, source) %}
  {% for column in columns if '...' in column.type and dbt_kinds.parse_type(column.type).kind == 'truncated' %}
    {% do column.update({'type': dbt_kinds._whole_type(dbt_kinds.quoted(column.name), column.type.split('<')[0] | lower,
      source)}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}


{# The text of a struct, an array or a map. #}
{% macro _whole_type(column, kind, source) %}
  {% set inside = {'struct': column ~ '.*', 'array': 'explode(' ~ column ~ ')',
    'map': 'explode(' ~ column ~ ')'}[kind] %}
  {% set inner, parts = '(select ' ~ inside ~ ' from ' ~ source ~ ')', [] %}
  {% for part in dbt_kinds.with_whole_types(dbt_kinds._described('describe query select * from ' ~ inner), inner) %}
    {% do parts.append((part.name ~ ':' if kind == 'struct' else '') ~ part.type) %}
  {% endfor %}
  {% do return(kind ~ '<' ~ parts | join(',') ~ '>') %}
{% endmacro %}


{% macro _described(statement) %}
  {% set columns = [] %}
  {% for row in run_query(statement).rows %}
    {% set comment = row[2] | default('', true) %}
    {% do columns.append(dict({'name': row[0] | string, 'type': row[1]},
      **({'comment': comment} if comment else {}))) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
