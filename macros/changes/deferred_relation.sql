{#
  The relation of another target that a query reads instead of a model's own, under --defer: the model's
  `defer_relation`, `{database, schema, alias, relation_name, …}`; else none.
  dbt decides for each model; only the compiled query, none if unknown, shows what it decided. Pure.
#}
{% macro deferred_relation(node, sql) %}
  {% set deferred = node.get('defer_relation') %}
  {% if not deferred or sql is none %}
    {% do return(none) %}
  {% endif %}
  {% set is_read = modules.re.search('(^|[^a-zA-Z0-9_`.])' ~ modules.re.escape(deferred.relation_name)
    ~ '($|[^a-zA-Z0-9_`.])', sql) is not none %}
  {% do return(deferred if is_read else none) %}
{% endmacro %}
