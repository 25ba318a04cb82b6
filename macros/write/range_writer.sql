{#
  Everything there is to know before a range of a table is replaced, found out and checked before anything is written:
  how time is bounded, the columns in the table's own order, the partitioning. `existing` is none for a table that is
  to be created.
#}
{% macro range_writer(options, query_columns, existing) %}
  {% set time_column = dbt_kinds.find_column(query_columns, options.time_column.column) %}
  {% if time_column is none %}
    {% do dbt_kinds.fail(options.model, "time_column '" ~ options.time_column.column ~ "' is not a column of the query, which has "
      ~ query_columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set values = dbt_kinds.time_column_values(options, time_column.type) %}
  {% set quoted = adapter.quote(time_column.name) %}
  {% if existing is none %}
    {% set partitioning = dbt_kinds.time_partitioning(options, quoted, values) %}
  {% else %}
    {% do dbt_kinds.check_table(options, query_columns, existing) %}
    {% set partitioning = existing.partitioning %}
  {% endif %}

  {% set by_partition = options.file_format not in ['iceberg', 'delta'] %}
  {% set cuts_intervals = dbt_kinds.partitions_cut_intervals(partitioning, time_column.name, options.unit) %}
  {% if by_partition %}
    {% do dbt_kinds.check_time_partition(options, time_column, partitioning, cuts_intervals) %}
  {% endif %}
  {% set columns = dbt_kinds.quoted_names(query_columns if existing is none else existing.columns) %}
  {% set partition_columns = dbt_kinds.quoted_names(partitioning) if by_partition else [] %}
  {% if existing is none %}
    {# a new table has its partition columns last; names differ in case at will #}
    {% set last = partition_columns | map('lower') | list %}
    {% for column in columns | list if column | lower in last %}
      {% do columns.remove(column) %}
    {% endfor %}
    {% do columns.extend(partition_columns) %}
  {% endif %}
  {% do return({
    'model': options.model,
    'file_format': options.file_format,
    'is_new': existing is none,
    'time_column': quoted,
    'bounds': values,
    'partitioning': partitioning,
    'partition_columns': partition_columns,
    'in_one_commit': options.file_format == 'delta' or cuts_intervals,
    'columns': columns,
  }) %}
{% endmacro %}


{% macro quoted_names(columns) %}
  {% set names = [] %}
  {% for column in columns %}
    {% set name = column if column is string else column.name %}
    {% do names.append(adapter.quote(name | trim | trim('`'))) %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}
