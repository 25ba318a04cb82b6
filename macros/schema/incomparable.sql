{# What there is in a type that Spark cannot compare, and an expression to use instead of it; none if there is nothing.
   Variants are types of Spark 4. Pure. #}
{% macro incomparable(type) %}
  {% if 'map<' in type %}
    {% do return({'what': 'maps', 'instead': 'an array of it in the query: array_sort(map_entries(…))'}) %}
  {% elif 'variant' in type and modules.re.search('(^|[<:,])variant($|[>,])', type) is not none %}
    {% do return({'what': 'variants', 'instead': 'text of it in the query: to_json(…)'}) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# Whether Spark can compare the rows of these columns. Pure. #}
{% macro has_incomparable(columns) %}
  {% do return(dbt_kinds.incomparable(columns | map(attribute='type') | join(',')) is not none) %}
{% endmacro %}
