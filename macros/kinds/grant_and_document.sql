{# What dbt expects of every materialization once the table is written. #}
{% macro grant_and_document(relation, work) %}
  {% do persist_constraints(relation, model) if dbt_kinds._is_constrained_afterwards(work) %}
  {% do apply_grants(relation, config.get('grants'), should_revoke=should_revoke(work.existed, full_refresh_mode=true)) %}
  {% do dbt_kinds._document(relation, work) %}
{% endmacro %}


{# Whether grant_and_document may send a statement. #}
{% macro is_granted_or_documented(work) %}
  {% do return((config.get('grants') or {}) != {} or (config.get('persist_docs') or {}) != {} or dbt_kinds._is_constrained_afterwards(work)) %}
{% endmacro %}


{# dbt-spark takes a model without file_format to be Delta. #}
{% macro _is_constrained_afterwards(work) %}
  {% do return(work.start_anew and work.options.file_format == 'delta' and not dbt_kinds.declares_constraints(work.options.file_format)) %}
{% endmacro %}


{#
  dbt's persist_docs, for the comments of columns that differ: dbt-spark writes all of them in every run, and each is a change of metadata that makes the running reads and writes
  of others fail on Delta (MetadataChangedException).
#}
{% macro _document(relation, work) %}
  {% if not config.persist_column_docs() or adapter.type() != 'spark' or not dbt_kinds.has_commits(work.options.file_format) %}
    {% do persist_docs(relation, model) %}
    {% do return(none) %}
  {% endif %}
  {% set stored, changed = dbt_kinds.describe_table(relation).columns, {} %}
  {% for name, column in model.columns.items() %}
    {% set found = dbt_kinds.find_column(stored, column.name) %}
    {# a column that the table lacks is left to dbt, which says so #}
    {% if found is none or (found.comment or '') != dbt_kinds._as_stored(column.description or '') %}
      {% do changed.update({name: column}) %}
    {% endif %}
  {% endfor %}
  {% do persist_docs(relation, dict(model, columns=changed)) %}
{% endmacro %}


{# What Spark stores of a description that dbt-spark wrote between quotes: a backslash begins an escape, so one with a backslash counts as different. #}
{% macro _as_stored(description) %}
  {% do return(description if '\\' not in description else none) %}
{% endmacro %}
