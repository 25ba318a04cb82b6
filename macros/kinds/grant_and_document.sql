{# What dbt expects of every materialization once the table is there. #}
{% macro grant_and_document(relation, existed) %}
  {% do apply_grants(relation, config.get('grants'), should_revoke=should_revoke(existed, full_refresh_mode=true)) %}
  {% do persist_docs(relation, model) %}
{% endmacro %}
