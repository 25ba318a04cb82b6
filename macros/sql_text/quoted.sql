{# A name in backticks, with backticks inside doubled, which adapter.quote does not do. Pure. #}
{% macro quoted(name) %}
  {% do return('`' ~ (name | string | replace('`', '``')) ~ '`') %}
{% endmacro %}


{#
  The name of a relation, as dbt or a user writes it, with each of its parts in backticks: a statement that Delta parses
  itself does not take a table that is called like one of its words, such as shop.history. Pure.
#}
{% macro quoted_path(path) %}
  {% set parts = [] %}
  {% for part in modules.re.findall('(?:`(?:[^`]|``)*`|[^.`])+', path | string) %}
    {% do parts.append(dbt_kinds.quoted(dbt_kinds.unquoted(part))) %}
  {% endfor %}
  {% do return(parts | join('.')) %}
{% endmacro %}


{# The inverse of quoted: the name in a string that may be in backticks. Pure. #}
{% macro unquoted(text) %}
  {% set name = text | trim %}
  {% do return(name[1:-1] | replace('``', '`') if dbt_kinds.matches('`(?:[^`]|``)+`', name) else name) %}
{% endmacro %}
