{# For writes that replace the table: see table_writer. Whatever columns it has, it gets those of the query. #}
{% macro whole_writer(options, query_columns, existing, query) %}
  {% do return(dict(dbt_kinds.table_writer(options, query_columns, none, options.partition_by), replaces_table=true)) %}
{% endmacro %}


{#
  Puts the rows of a query into the place of a whole table: in one commit on Iceberg and Delta. A table of files is first made whole beside
  it, so that a query that fails changes nothing.
#}
{% macro replace_all(relation, work, batch, query) %}
  {% set options, writer = work.options, work.writer %}
  {% set details = dbt_kinds.parents_as_read(model) if options.skip_unchanged else none %}
  {% set sql = dbt_kinds.filtered_query(query, 'true', writer.selected) %}
  {% do dbt_kinds.drop_stages(relation) if options.file_format not in ['iceberg', 'delta'] %}
  {% set is_staged = dbt_kinds.replace_table(relation, work, sql) %}
  {% do return(dict(dbt_kinds.last_commit(relation, options.file_format, 'true'), sql=sql, details=details, is_staged=is_staged)) %}
{% endmacro %}


{# The same for SQL that yields the table's columns. Returns whether a stage was made on the way. #}
{% macro replace_table(relation, work, sql) %}
  {% set options, writer, existing = work.options, work.writer, work.existing %}
  {% if options.file_format in ['iceberg', 'delta'] and (existing is none or existing.file_format == options.file_format) %}
    {% do dbt_kinds.create_table(relation, existing, options.file_format, writer.partitioning, sql) %}
    {% do return(false) %}
  {% endif %}
  {% set stage = dbt_kinds.stage(relation, 'whole', sql) %}
  {% do dbt_kinds.hold_lease(options) %}
  {% do dbt_kinds.put_stage_in_place(relation, options, stage, writer.partitioning) %}
  {% do return(true) %}
{% endmacro %}
