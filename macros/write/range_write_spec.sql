{#
  The write spec for replacing a range of a table, determined and checked before anything is written: see
  table_write_spec; plus `time_column`, quoted, `bounds`, how its values are written (column_values), and
  `in_one_commit`, whether a range can be replaced by one statement on Iceberg or Delta, and `whole_partitions`,
  whether a range is always whole partitions.
#}
{% macro range_write_spec(options, query_columns, existing, query=none, keys=[]) %}
  {% set time_column = dbt_kinds.find_column(query_columns, options.time_column.column) %}
  {% if time_column is none %}
    {% do dbt_kinds.fail(options.model,
      "time_column '" ~ options.time_column.column ~ "' is not a column of the query, which has "
      ~ query_columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set values = dbt_kinds.time_column_values(options, time_column.type) %}
  {% set quoted = dbt_kinds.quoted(time_column.name) %}
  {% set partitioning = existing.partitioning if existing is not none
    else dbt_kinds.time_partitioning(options, quoted, values) %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns, existing, partitioning) %}
  {% set whole_partitions = dbt_kinds.are_whole_partitions(partitioning, time_column.name, options.unit) %}
  {% if dbt_kinds.is_file_format(options.file_format) %}
    {% do dbt_kinds.check_time_partition(options, time_column, partitioning, whole_partitions) %}
  {% endif %}
  {% do return(dict(
    write_spec, time_column=quoted, bounds=values, in_one_commit=options.file_format == 'delta' or whole_partitions,
    whole_partitions=whole_partitions
  )) %}
{% endmacro %}
