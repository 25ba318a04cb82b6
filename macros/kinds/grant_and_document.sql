{# What dbt expects of every materialization once the table is there. #}
{% macro grant_and_document(relation, work) %}
  {# dbt-spark takes a model without file_format for Delta #}
  {% do persist_constraints(relation, model) if work.start_anew and work.options.file_format == 'delta' %}
  {% do apply_grants(relation, config.get('grants'), should_revoke=should_revoke(work.existed, full_refresh_mode=true)) %}
  {% do persist_docs(relation, model) %}
{% endmacro %}
