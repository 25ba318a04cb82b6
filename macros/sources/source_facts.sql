{#
  What a table that queries read is, as describe_table tells it, with the `relation` itself. Looked at once a run, and afresh: a Spark session keeps tables as it
  knew them. none where there is no such table.
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


{# The relation that relation_key gave a name. #}
{% macro relation_of_key(key) %}
  {% set parts = key.split('.') %}
  {% do return(api.Relation.create(
    database='.'.join(parts[:-2]) or none, schema=parts[-2], identifier=parts[-1]
  )) %}
{% endmacro %}
