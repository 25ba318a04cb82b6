{#
  The tested column, as SQL. For a test under a column of a YAML file dbt passes the name as column_name; elsewhere an
  argument holds a name or an expression. Pure.
#}
{% macro tested_column(tested, column_name, written, argument='column') %}
  {% set column = dbt_kinds._column_or_expression(tested, argument, written) if written is not none else none %}
  {% set named = dbt_kinds._column_of_yaml(column_name) if column_name is not none else none %}
  {% if column is none and named is none %}
    {% do dbt_kinds.fail(tested, argument ~ ' is missing; write the test below the column it is about, or add '
      ~ argument ~ ': <name of the column>') %}
  {% elif column is not none and named is not none and column != named %}
    {% do dbt_kinds.fail(tested, argument ~ " '" ~ written ~ "' stands below the column '" ~ column_name
      ~ "'; remove one of the two") %}
  {% endif %}
  {% do return(column or named) %}
{% endmacro %}


{# The same for an argument that is never a column of the YAML file. #}
{% macro required_column(tested, argument, written) %}
  {% if written is none %}
    {% do dbt_kinds.fail(tested, argument ~ ' is missing; write ' ~ argument ~ ': <name of the column>') %}
  {% endif %}
  {% do return(dbt_kinds._column_or_expression(tested, argument, written)) %}
{% endmacro %}


{# The value of an argument that has two names. #}
{% macro either_argument(tested, name, value, other_name, other_value) %}
  {% if value is not none and other_value is not none and value != other_value %}
    {% do dbt_kinds.fail(tested, name ~ " '" ~ value ~ "' and " ~ other_name ~ " '" ~ other_value
      ~ "' are one argument; remove one of the two") %}
  {% endif %}
  {% do return(value if value is not none else other_value) %}
{% endmacro %}


{# The columns or expressions of a list, or of a string such as `a, b` or `(a, b)`. #}
{% macro tested_columns(tested, argument, written, example) %}
  {% set text = dbt_kinds.without_parentheses(written | trim) if written is string else none %}
  {% set columns = [] %}
  {% for item in dbt_kinds.tested_texts(tested, argument, dbt_kinds.split_top_level(text) if text else written,
      example) %}
    {% do columns.append(dbt_kinds._column_or_expression(tested, argument, item)) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}


{# A name gets quotes and anything else parentheses, so that it can be an operand. #}
{% macro _column_or_expression(tested, argument, written) %}
  {% set text = dbt_kinds.without_comments(written) | trim if written is string else '' %}
  {% if not text %}
    {% do dbt_kinds.fail(tested, argument ~ " '" ~ written
      ~ "' is not a column or an SQL expression; write one, such as amount or `net amount`") %}
  {% elif dbt_kinds.matches('\w+', text) %}
    {% do return(dbt_kinds.quoted(text)) %}
  {% endif %}
  {% do dbt_kinds.validate_sql_fragment(tested, argument, text) %}
  {% do return(text if dbt_kinds.sql_tokens(text) | length == 1 else '(' ~ text ~ ')') %}
{% endmacro %}


{# A name as dbt passes it: in backticks with `quote: true`, else as written, with a dot before a field. #}
{% macro _column_of_yaml(name) %}
  {% if dbt_kinds.lexed(name) | rejectattr('kind', 'equalto', 'quoted') | rejectattr('text', 'equalto', '.') | list
      == [] %}
    {% do return(name) %}
  {% elif dbt_kinds.matches('`[\\s\\S]+`', name) %}
    {# dbt-spark does not escape backticks within a name #}
    {% do return(dbt_kinds.quoted(name[1:-1])) %}
  {% endif %}
  {% set parts = [] %}
  {% for part in name.split('.') %}
    {% do parts.append(dbt_kinds.quoted(part)) %}
  {% endfor %}
  {% do return(parts | join('.')) %}
{% endmacro %}
