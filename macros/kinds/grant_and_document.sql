{# What dbt expects of every materialization once the table is written. #}
{% macro grant_and_document(relation, work) %}
  {% do persist_constraints(relation, model) if dbt_kinds._is_constrained_afterwards(work) %}
  {% do apply_grants(relation, config.get('grants'), should_revoke=should_revoke(work.existed, full_refresh_mode=true)) %}
  {% do dbt_kinds.describe_columns(relation, work) %}
{% endmacro %}


{# Whether grant_and_document may send a statement. #}
{% macro is_granted_or_documented(work) %}
  {% do return((config.get('grants') or {}) != {} or (config.get('persist_docs') or {}) != {} or dbt_kinds._is_constrained_afterwards(work)) %}
{% endmacro %}


{# dbt-spark takes a model without file_format to be Delta. #}
{% macro _is_constrained_afterwards(work) %}
  {% do return(work.start_anew and work.options.file_format == 'delta' and not dbt_kinds.declares_constraints(work.options.file_format)) %}
{% endmacro %}
