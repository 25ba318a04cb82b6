{#
  dbt's persist_docs, so that a backslash is one: dbt-spark takes it for an escape. It also describes the columns of
  Iceberg and Delta only, all of them in every run, and each is a change of metadata that makes the running reads and
  writes of others fail on Delta (MetadataChangedException); dbt-databricks describes the table in every run.
#}


{# SQL: the description of a new table; empty if it is not to have any. #}
{% macro described_table() %}
  {% do return('comment ' ~ dbt_kinds.text_literal(model.description) if comment_clause() | trim else '') %}
{% endmacro %}


{# The columns of a new table with their descriptions as comments. #}
{% macro with_descriptions(columns, file_format) %}
  {% set described, found = dbt_kinds._descriptions(file_format), [] %}
  {% for column in columns %}
    {% do found.append(dict(column, comment=described.get(column.name | lower, column.get('comment')))) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# Describes the columns of a table whose comments differ. Spark changes no comment of a partition of Parquet or ORC,
   which gets it when the table is created. #}
{% macro describe_columns(relation, run_context) %}
  {% set file_format = run_context.options.file_format %}
  {% set described, fixed = dbt_kinds._descriptions(file_format),
    run_context.write_spec.get('partition_columns', []) | map('lower') | list %}
  {% set held, changed = dbt_kinds.describe_query('select * from ' ~ relation) if described else [], [] %}
  {# newer versions of dbt warn of what the table lacks #}
  {% do validate_doc_columns(relation, model.columns, held | map(attribute='name') | list)
    if held and validate_doc_columns is defined %}
  {% for column in held %}
    {% set words = described.get(column.name | lower) %}
    {% if words is not none and words != column.get('comment', '')
        and dbt_kinds.quoted(column.name) | lower not in fixed %}
      {% call statement('describe_column') %}
        alter table {{ relation }} alter column {{ dbt_kinds.quoted(column.name) }}
          comment {{ dbt_kinds.text_literal(words) }}
      {% endcall %}
      {% do changed.append(column.name) %}
    {% endif %}
  {% endfor %}
  {# the session goes on reading such a table with the columns that it knew (measured) #}
  {% if changed and dbt_kinds.is_file_format(file_format) %}
    {% call statement('refresh_table') %}refresh table {{ relation }}{% endcall %}
  {% endif %}
{% endmacro %}


{# The descriptions of columns that are to be persisted, by lower case name. Hive's metastore has room for 256
   characters, and refuses more. #}
{% macro _descriptions(file_format) %}
  {% set described = {} %}
  {% for name, column in ((model.columns or {}) if config.persist_column_docs() else {}).items() %}
    {% set words = column.description or '' %}
    {% do described.update({name | lower: words[:256] if dbt_kinds.is_file_format(file_format) else words}) %}
  {% endfor %}
  {% do return(described) %}
{% endmacro %}
