{# A name in backticks, those within it doubled, which adapter.quote does not do. Pure. #}
{% macro quoted(name) %}
  {% do return('`' ~ (name | string | replace('`', '``')) ~ '`') %}
{% endmacro %}


{# The name that a text names, which may be in backticks: the other way round. Pure. #}
{% macro unquoted(text) %}
  {% set name = text | trim %}
  {% do return(name[1:-1] | replace('``', '`') if dbt_kinds.matches('`(?:[^`]|``)+`', name) else name) %}
{% endmacro %}
