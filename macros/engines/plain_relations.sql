{#
  A query whose relations are written as in dbt-core, shop.orders; dbt 2.0 writes them in backticks. For hashes, which
  must be the same on both; dbt-core's own text is unchanged.
#}
{% macro plain_relations(unique_id, sql) %}
  {% if dbt_kinds.is_dbt_core() %}
    {% do return(sql) %}
  {% endif %}
  {% set node, plain = graph.nodes.get(unique_id, {}), namespace(sql=sql) %}
  {% for read in [unique_id] + (node.get('depends_on') or {}).get('nodes', []) %}
    {% set known = graph.nodes.get(read) or graph.get('sources', {}).get(read) or {} %}
    {% set name = known.get('alias') or known.get('identifier') or known.get('name') %}
    {% if known.get('schema') and name %}
      {% set plain.sql = plain.sql | replace('`' ~ known.schema ~ '`.`' ~ name ~ '`', known.schema ~ '.' ~ name) %}
    {% endif %}
  {% endfor %}
  {% do return(plain.sql) %}
{% endmacro %}
