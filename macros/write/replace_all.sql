{# For writes that replace the table: see table_write_spec. The table gets the query's columns, whatever it had
   before. #}
{% macro whole_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% do return(dict(dbt_kinds.table_write_spec(options, query_columns, none, options.partition_by),
    writes_whole_table=true)) %}
{% endmacro %}


{#
  Replaces a whole table by the rows of a query: in one commit on Iceberg and Delta. On Parquet and ORC the rows are
  staged first, so that a failing query changes nothing.
#}
{% macro replace_all(relation, run_context, batch, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% set sql = dbt_kinds.filtered_query(query, 'true', write_spec.selected) %}
  {% do dbt_kinds.replace_table(relation, run_context, sql, run_context.get('staged')) %}
  {% set commit = dbt_kinds.files_of_write(relation) if dbt_kinds.is_file_format(options.file_format)
    else dbt_kinds.commit_of(relation, options.file_format) %}
  {% do return(dict(commit, sql=sql, details=dbt_kinds.versions_read(run_context))) %}
{% endmacro %}


{# The same for SQL that returns the table's columns; its rows may already be staged. #}
{% macro replace_table(relation, run_context, sql, staged=none) %}
  {% set options, write_spec, existing = run_context.options, run_context.write_spec, run_context.existing %}
  {% if not dbt_kinds.is_file_format(options.file_format) and (existing is none
      or (existing.file_format == options.file_format and not existing.get('has_to_be_dropped'))) %}
    {% do dbt_kinds.create_table(relation, existing, options.file_format, write_spec.partitioning, sql,
      write_spec.schema) %}
  {% else %}
    {% set stage = staged or dbt_kinds.stage_rows(relation, write_spec, 'whole', sql, write_spec.schema) %}
    {% do dbt_kinds.assert_lease(options) %}
    {% do dbt_kinds.replace_by_stage(relation, options, stage, write_spec.partitioning, existing, write_spec.schema) %}
  {% endif %}
{% endmacro %}
