{# The recorded intervals of a node's table; empty if the table does not exist. #}
{% macro recorded_coverage(node) %}
  {% do return(dbt_kinds.coverage(dbt_kinds.options_of(node).relation) if dbt_kinds.table_exists(node) else []) %}
{% endmacro %}


{# Whether a node's table exists. #}
{% macro table_exists(node) %}
  {% do return(dbt_kinds.relation_type(api.Relation.create(database=node.database, schema=node.schema,
    identifier=node.alias)) == 'table') %}
{% endmacro %}
