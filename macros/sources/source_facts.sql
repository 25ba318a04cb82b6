{#
  The facts about a table that queries read: what describe_table returns, plus the `relation`. Read once per run after a refresh, because a Spark session
  caches tables. none if there is no such table.
#}
{% macro source_facts(key) %}
  {% set known = dbt_kinds.run_memory().sources %}
  {% if key not in known %}
    {% set relation = dbt_kinds.relation_of_key(key) %}
    {% call statement('refresh_source') %}refresh table {{ relation }}{% endcall %}
    {% do known.update({key: dict(dbt_kinds.describe_table(relation), relation=relation, history=none, changes={}, partitions={})}) %}
  {% endif %}
  {% do return(known[key]) %}
{% endmacro %}


{# The relation for a name from relation_key. #}
{% macro relation_of_key(key) %}
  {% set parts = key.split('.') %}
  {% do return(api.Relation.create(
    database='.'.join(parts[:-2]) or none, schema=parts[-2], identifier=parts[-1]
  )) %}
{% endmacro %}
