{#
  Overrides dbt-spark's macro in projects whose `dispatch:` names dbt_kinds: refuses to clone a table of a kind. A clone
  has rows but no records; the next run would take it for a table that was filled by other means.
#}
{% macro spark__can_clone_table() %}
  {% do dbt_kinds._check_no_clone() %}
  {% do return(true) %}
{% endmacro %}


{% macro databricks__can_clone_table() %}
  {% do dbt_kinds._check_no_clone() %}
  {% do return(dbt.databricks__can_clone_table()) %}
{% endmacro %}


{% macro _check_no_clone() %}
  {% if model.config.materialized in dbt_kinds.kinds() %}
    {% do dbt_kinds.fail(model.name,
      'dbt clone copies rows and not what is recorded of them, so that the next run could not tell what it holds; '
      ~ 'read the other table with --defer --state, or load as many intervals as you want with kinds_start and kinds_end') %}
  {% endif %}
{% endmacro %}
