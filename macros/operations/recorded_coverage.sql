{# What is recorded of a node's table; nothing when the table is not there. #}
{% macro recorded_coverage(node) %}
  {% do return(dbt_kinds.coverage(dbt_kinds.options_of(node).relation) if dbt_kinds.table_exists(node) else []) %}
{% endmacro %}


{#
  Whether a node's table is there. Of many models the tables of their schema are listed once, in one statement: an operation
  changes no table.
#}
{% macro table_exists(node) %}
  {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) %}
  {% set listed = dbt_kinds.run_memory().setdefault('tables', {}) %}
  {% set schema = relation.without_identifier() | string %}
  {% if schema not in listed %}
    {% do listed.update({schema: dbt_kinds.tables_of(relation) if adapter.check_schema_exists(relation.database, relation.schema) else {}}) %}
  {% endif %}
  {% do return(listed[schema].get(node.alias | lower) == 'table') %}
{% endmacro %}
