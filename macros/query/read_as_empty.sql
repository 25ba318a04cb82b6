{#
  The query of a model that reads its own table, for use before that table exists: it reads an empty table with the
  model's declared columns instead; none if the query does not read its own table. Pure.
#}
{% macro read_as_empty(node, relation, sql) %}
  {% if not dbt_kinds.reads_table(relation, sql) %}
    {% do return(none) %}
  {% endif %}
  {% set columns = [] %}
  {% for column in node.columns.values() if column.get('data_type') %}
    {% do columns.append('cast(null as '
      ~ dbt_kinds.validate_sql_fragment(node.name, 'data_type of ' ~ column.name, column.data_type) ~ ') as '
      ~ dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% if not columns %}
    {% do dbt_kinds.fail(node.name,
      'its query reads ' ~ relation
        ~ ', its own table, which is not there yet and cannot be made empty: declare the columns of the model, '
        ~ 'each with its data_type') %}
  {% endif %}
  {% do return(modules.re.sub(dbt_kinds._name_pattern(relation),
    '(select ' ~ columns | join(', ') | replace('\\', '\\\\') ~ ' where false)', sql)) %}
{% endmacro %}


{# Whether a query names a table. Pure. #}
{% macro reads_table(relation, sql) %}
  {% do return(modules.re.search(dbt_kinds._name_pattern(relation), dbt_kinds.without_comments(sql)) is not none) %}
{% endmacro %}


{% macro _name_pattern(relation) %}
  {% do return('(?<![\\w.`])' ~ modules.re.escape(relation | string) ~ '(?![\\w`])') %}
{% endmacro %}
