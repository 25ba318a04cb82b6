{# Stores the failing rows of each audit with store_failures in a table, those of all batches of a run; the first batch
   drops the table of an earlier run. #}
{% macro store_failures(relation, run_context, findings) %}
  {% set is_first = not run_context.get('stores_failures') %}
  {% do run_context.update({'stores_failures': true}) %}
  {% for audit in run_context.audits if audit.store_failures %}
    {% set table = dbt_kinds.table_of_failures(relation, audit) %}
    {% if is_first %}
      {% do dbt_kinds.drop_table(table) if dbt_kinds.relation_type(table) is not none %}
      {% do dbt_kinds.listed_tables(relation).pop(table.identifier | lower, none) %}
    {% endif %}
    {% for finding in findings if finding.audit.name == audit.name %}
      {% if dbt_kinds.relation_type(table) is none %}
        {# first the table, then its rows: see create_table #}
        {% call statement('create_failures') %}
          create table {{ table }} {{ dbt_kinds.defined_columns(dbt_kinds.describe_query(finding.sql)) }}
          using {{ dbt_kinds.native_format() }}{% endcall %}
      {% endif %}
      {% call statement('store_failures') %}
insert into {{ table }}
select * from (
{{ finding.sql }}
)
      {% endcall %}
      {% do dbt_kinds.cache_table(table) %}
    {% endfor %}
  {% endfor %}
{% endmacro %}


{# The table they are stored in. #}
{% macro table_of_failures(relation, audit) %}
  {% do return(relation.incorporate(path={'identifier': relation.identifier ~ '__kinds_failed_' ~ audit.name})) %}
{% endmacro %}
