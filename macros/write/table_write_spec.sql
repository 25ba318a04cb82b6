{#
  What every kind needs to know about its table before it writes: the columns in table order, the expression to select
  for each from a query, and the changes that the query requires. `existing` is none for a table that will be created.
#}
{% macro table_write_spec(options, query_columns, existing, partitioning) %}
  {% set is_new = existing is none %}
  {% set changes = [] if is_new else dbt_kinds.accepted_changes(options, query_columns, existing) %}
  {% set partitioning = partitioning if is_new else existing.partitioning %}
  {% set partition_columns = dbt_kinds.quoted_names(partitioning) if dbt_kinds.is_file_format(options.file_format)
    else [] %}
  {% set columns = query_columns if is_new else dbt_kinds.changed_schema(existing.columns, changes) %}
  {% set columns = dbt_kinds.partition_columns_last(columns, partition_columns) %}
  {% do return({
    'model': options.model,
    'file_format': options.file_format,
    'is_new': is_new,
    'partitioning': partitioning,
    'partition_columns': partition_columns,
    'schema_changes': changes,
    'schema': columns,
    'columns': dbt_kinds.quoted_names(columns),
    'selected': dbt_kinds.selected_columns(query_columns, columns),
    'writes_whole_table': false,
  }) %}
{% endmacro %}


{# Names of columns, quoted for Spark; those that are quoted already stay as they are. A wide table has too many for a
   call each. #}
{% macro quoted_names(columns) %}
  {% set names = [] %}
  {% for column in columns %}
    {% do names.append(dbt_kinds.quoted(dbt_kinds.unquoted(column)) if column is string
      else '`' ~ column.name | replace('`', '``') ~ '`') %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# Such a table has its partition columns last; names may differ in case. #}
{% macro partition_columns_last(columns, partition_columns) %}
  {% set last = [] %}
  {% for quoted in partition_columns %}
    {% set column = dbt_kinds.find_column(columns, dbt_kinds.unquoted(quoted)) %}
    {% do last.append(column) if column is not none %}
  {% endfor %}
  {% do return(columns | reject('in', last) | list + last) %}
{% endmacro %}


{#
  The expression to select for each column of the table from a query with different columns: matched by name, including
  struct fields, which Spark's insert matches by position (two ints were silently swapped; measured). NULL for columns
  that the query lacks. Type conversion is left to the insert, which refuses values that do not fit; with `cast`, for
  existing rows, each value must be convertible to the new type.
#}
{% macro selected_columns(query_columns, columns, cast=false) %}
  {% set selected, names, by_name = [], dbt_kinds.quoted_names(columns), dbt_kinds.columns_by_name(query_columns) %}
  {% for column in columns %}
    {% set quoted, source = names[loop.index0], by_name.get(column.name | lower) %}
    {% if source is none %}
      {% do selected.append('cast(null as ' ~ dbt_kinds.sql_type(column.type) ~ ') as '
        ~ quoted) %}
    {% elif '<' in column.type and source.type != column.type %}
      {% set converted = dbt_kinds.conversion(dbt_kinds.quoted(source.name), source.type, column.type) %}
      {% do selected.append(quoted if converted == dbt_kinds.quoted(source.name) else converted ~ ' as ' ~ quoted) %}
    {% elif cast and source.type != column.type %}
      {% set words = 'column ' ~ column.name ~ ' cannot become ' ~ column.type ~ ', because of the value ' %}
      {% do selected.append(dbt_kinds.cast_or_raise(quoted, column.type, words) ~ ' as ' ~ quoted) %}
    {% else %}
      {% do selected.append(quoted) %}
    {% endif %}
  {% endfor %}
  {% do return(selected) %}
{% endmacro %}
