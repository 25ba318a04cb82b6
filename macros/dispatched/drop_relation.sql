{#
  Overrides dbt-spark's macro in projects whose `dispatch:` names dbt_kinds: also drops the files. If Iceberg is the
  session's catalog, a plain drop of a table that is not Iceberg's removes its entry and leaves its files, and the next
  create fails with LOCATION_ALREADY_EXISTS (measured on Spark 3.5.9).
#}
{% macro spark__drop_relation(relation) %}
  {% set type = relation.type or 'table' %}
  {% call statement('drop_relation', auto_begin=false) %}
drop {{ type }} if exists {{ relation }}{{ ' purge' if type | string == 'table' }}
  {% endcall %}
{% endmacro %}


{# dbt looks for macros of an adapter's parents in one package before it looks into the next; dbt-databricks has its
   own. #}
{% macro databricks__drop_relation(relation) %}
  {% do return(dbt.databricks__drop_relation(relation)) %}
{% endmacro %}
