{#
  Refuses a model whose table another node names as well, in other letter case: dbt only compares exact names. It asks
  no catalog: even where one tells the two apart (Iceberg's Hadoop catalog), dbt stops at the second run, because it
  found "an approximate match" (measured on 1.11).
#}
{% macro check_own_table(node) %}
  {% for unique_id in dbt_kinds._nodes_with_alias(node.alias) if unique_id != node.unique_id %}
    {% set other = graph.nodes[unique_id] %}
    {% if dbt_kinds._address(other) == dbt_kinds._address(node) %}
      {% do dbt_kinds.fail(node.name,
        "alias '" ~ node.alias ~ "' and '" ~ other.alias ~ "', that of the " ~ other.resource_type ~ ' ' ~ other.name
        ~ ', name one table, because letter case does not count; give one of the two another alias, as in config(alias='
        ~ "'" ~ node.alias ~ "_2')") %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# The nodes that become a table or view of that name in some schema, found once per run. #}
{% macro _nodes_with_alias(alias) %}
  {% set known = dbt_kinds.run_memory('aliases') %}
  {% if not known %}
    {% set found = {} %}
    {% for node in graph.nodes.values()
        if node.resource_type in ['model', 'seed', 'snapshot'] and node.config.get('materialized') != 'ephemeral'
        and node.config.get('enabled') != false %}
      {% do found.setdefault(node.alias | lower, []).append(node.unique_id) %}
    {% endfor %}
    {% do known.update(found) %}
  {% endif %}
  {% do return(known.get(alias | lower, [])) %}
{% endmacro %}


{% macro _address(node) %}
  {% do return(dbt_kinds.relation_key(dbt_kinds.named_database(node.database), node.schema, node.alias)) %}
{% endmacro %}
