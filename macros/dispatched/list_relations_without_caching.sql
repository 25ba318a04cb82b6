{#
  Overrides dbt-spark's macro in projects whose `dispatch:` names dbt_kinds: adds the provider of Iceberg tables. Spark
  does not report it if Iceberg is the session's catalog, and dbt then refuses the second run of a snapshot because its
  table seems to have another format.
#}
{% macro spark__list_relations_without_caching(relation) %}
  {% call statement('list_relations_without_caching', fetch_result=true) %}
show table extended in {{ relation.schema }} like '*'
  {% endcall %}
  {% set rows = [] %}
  {% for row in load_result('list_relations_without_caching').table.rows %}
    {% do rows.append([row[0], row[1], row[2],
      row[3] ~ ('\nProvider: iceberg' if 'table_type=ICEBERG' in row[3] else '')]) %}
  {% endfor %}
  {% do return(rows) %}
{% endmacro %}


{# As drop_relation: dbt-databricks has its own. #}
{% macro databricks__list_relations_without_caching(schema_relation) %}
  {% do return(dbt.databricks__list_relations_without_caching(schema_relation)) %}
{% endmacro %}
