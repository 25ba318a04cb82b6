{#
  The nodes of this project's kinds that an operation means: names separated by spaces, also `package.model`;
  nothing means all of them.
#}
{% macro selected_models(select) %}
  {% set wanted = (select or '').split() | unique | list %}
  {% set found, missing = [], wanted | list %}
  {% for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% set names = [node.name, node.package_name ~ '.' ~ node.name] %}
    {% if not wanted or names | select('in', wanted) | list %}
      {% do found.append(node) %}
      {% for name in names if name in missing %}{% do missing.remove(name) %}{% endfor %}
    {% endif %}
  {% endfor %}
  {% if missing %}
    {% do exceptions.raise_compiler_error('dbt_kinds: no model of a kind is called ' ~ missing | join(', ') ~ '; select takes model names separated by '
      ~ 'spaces') %}
  {% endif %}
  {% do return(found | sort(attribute='unique_id')) %}
{% endmacro %}


{% macro the_selected_model(select) %}
  {% set found = dbt_kinds.selected_models(select) %}
  {% if not select or found | length != 1 %}
    {% do exceptions.raise_compiler_error("dbt_kinds: select '" ~ (select or '') ~ "' has to name one model") %}
  {% endif %}
  {% do return(found[0]) %}
{% endmacro %}


{# What is recorded of a node's table; nothing when the table is not there. #}
{% macro recorded_coverage(node) %}
  {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) %}
  {% set exists = adapter.check_schema_exists(relation.database, relation.schema) and dbt_kinds.relation_type(relation) == 'table' %}
  {% do return(dbt_kinds.coverage(dbt_kinds.relation_key(node.database, node.schema, node.alias)) if exists else []) %}
{% endmacro %}
