{#
  A value that a test compares with, as SQL: a number, a YAML date, or a string, which is SQL unless it is a bare date
  (as SQL, 2024-01-31 is 1992). none stays none.
#}
{% macro tested_value(tested, argument, written) %}
  {% if written is none %}
    {% do return(none) %}
  {% endif %}
  {% set text = dbt_kinds.without_comments(written | string) | trim %}
  {% if dbt_kinds.is_number(text) %}
    {% do return(text) %}
  {% elif dbt_kinds.matches('[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]+(?:Z|[+-][0-9:]+)?)?', text) %}
    {# must come before the next check: in dbt 2.0 a datetime is a mapping #}
    {% do return(dbt_kinds.text_literal(text)) %}
  {% elif written is boolean or written is number or written is mapping
      or (written is not string and written is sequence) or not text %}
    {% do dbt_kinds.fail(tested, argument ~ " '" ~ written
      ~ "' is not a value; write a number, a date such as 2024-01-31, or SQL such as \"date '2024-01-31'\"") %}
  {% endif %}
  {% do dbt_kinds.validate_sql_fragment(tested, argument, text) %}
  {% do return(text if dbt_kinds.sql_tokens(text) | length == 1 else '(' ~ text ~ ')') %}
{% endmacro %}


{# The same for a required argument; a number must also be in its meaningful range. #}
{% macro required_value(tested, argument, written, example, least=none, most=none) %}
  {% if written is none %}
    {% do dbt_kinds.fail(tested, argument ~ ' is missing; write one, such as ' ~ argument ~ ': ' ~ example) %}
  {% endif %}
  {% set value = dbt_kinds.tested_value(tested, argument, written) %}
  {% if dbt_kinds.is_number(value)
      and ((least is not none and value | float < least) or (most is not none and value | float > most)) %}
    {% do dbt_kinds.fail(tested, argument ~ " '" ~ written ~ "' is not "
      ~ ('between ' ~ least ~ ' and ' ~ most if most is not none else least ~ ' or more')
      ~ '; write ' ~ argument ~ ': ' ~ example) %}
  {% endif %}
  {% do return(value) %}
{% endmacro %}


{# A list of strings; a single one needs no brackets. #}
{% macro tested_texts(tested, argument, written, example) %}
  {% if not written or written is mapping or (written is not string and written is not sequence) %}
    {% do dbt_kinds.fail(tested, argument
      ~ (" '" ~ written ~ "' is not a list of strings" if written else ' is missing') ~ '; write ' ~ argument ~ ': '
      ~ example) %}
  {% endif %}
  {% set texts = [written] if written is string else written %}
  {% for text in texts if text is not string or not text %}
    {% do dbt_kinds.fail(tested, argument ~ " holds '" ~ text ~ "', which is not a string; write " ~ argument ~ ': '
      ~ example) %}
  {% endfor %}
  {% do return(texts) %}
{% endmacro %}


{# Whether a string is a number in SQL. #}
{% macro is_number(text) %}
  {% do return(dbt_kinds.matches('[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?', text)) %}
{% endmacro %}
