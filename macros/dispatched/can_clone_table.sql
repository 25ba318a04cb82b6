{#
  dbt-spark's, for projects whose `dispatch:` names dbt_kinds: no table of a kind is cloned. A clone has rows, but nothing is recorded of it; the next run
  would take it for a table that somebody else filled.
#}
{% macro spark__can_clone_table() %}
  {% if model.config.materialized in dbt_kinds.kinds() %}
    {% do dbt_kinds.fail(model.name, 'dbt clone copies rows and not what is recorded of them, so that the next run could not tell what it holds; '
      ~ 'read the other table with --defer --state, or load as many intervals as you want with kinds_start and kinds_end') %}
  {% endif %}
  {% do return(true) %}
{% endmacro %}
