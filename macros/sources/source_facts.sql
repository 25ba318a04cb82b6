{#
  The facts about a table that queries read: what describe_table returns, plus the `relation`. Read once per run after a
  refresh, because a Spark session caches tables. none if there is no such table, for an operation: a plan may come
  before the first run. In a run a query without its table fails in any case.
#}
{% macro source_facts(key) %}
  {% set known = dbt_kinds.run_memory('source_facts') %}
  {% if key not in known %}
    {% set relation = dbt_kinds.relation_of_key(key) %}
    {% if invocation_args_dict.get('which') == 'run-operation' and dbt_kinds.relation_type(relation) is none %}
      {% do return(none) %}
    {% endif %}
    {% call statement('refresh_source') %}refresh table {{ relation }}{% endcall %}
    {% do known.update({key: dict(dbt_kinds.describe_table(relation), relation=relation, history=none, changes={},
      partitions={})}) %}
  {% endif %}
  {% do return(known[key]) %}
{% endmacro %}


{# Others may have written since a run began. #}
{% macro forget_source_facts() %}
  {% do dbt_kinds.run_memory('source_facts').clear() %}
{% endmacro %}


{# The relation for a name from relation_key. #}
{% macro relation_of_key(key) %}
  {% set parts = key.split('.') %}
  {# on Spark a catalog is a part of the schema's name #}
  {% set database = dbt_kinds.named_database('.'.join(parts[:-2]) or none) %}
  {% do return(api.Relation.create(database=database, schema='.'.join(parts[:-1]) if database is none else parts[-2],
    identifier=parts[-1])) %}
{% endmacro %}
