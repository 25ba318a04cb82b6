{# A name in backticks, with backticks inside doubled, which adapter.quote does not do. Pure. #}
{% macro quoted(name) %}
  {% do return('`' ~ (name | string | replace('`', '``')) ~ '`') %}
{% endmacro %}


{# The inverse: the name in a string that may be in backticks. Pure. #}
{% macro unquoted(text) %}
  {% set name = text | trim %}
  {% do return(name[1:-1] | replace('``', '`') if dbt_kinds.matches('`(?:[^`]|``)+`', name) else name) %}
{% endmacro %}
