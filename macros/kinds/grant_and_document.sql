{# What dbt expects of every materialization once the table is written. #}
{% macro grant_and_document(relation, run_context) %}
  {% do persist_constraints(relation, model) if dbt_kinds._is_constrained_afterwards(run_context) %}
  {% do apply_grants(relation, config.get('grants'),
    should_revoke=should_revoke(run_context.existed, full_refresh_mode=true)) %}
  {% do dbt_kinds.describe_columns(relation, run_context) %}
{% endmacro %}


{# Whether grant_and_document may send a statement. #}
{% macro is_granted_or_documented(run_context) %}
  {% do return((config.get('grants') or {}) != {} or (config.get('persist_docs') or {}) != {}
    or dbt_kinds._is_constrained_afterwards(run_context)) %}
{% endmacro %}


{# dbt-spark takes a model without file_format to be Delta. #}
{% macro _is_constrained_afterwards(run_context) %}
  {% do return(run_context.start_anew and run_context.options.file_format == 'delta'
    and not dbt_kinds.declares_constraints(run_context.options.file_format)) %}
{% endmacro %}
