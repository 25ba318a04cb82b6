{#
  The texts that Parquet, ORC and Delta store as NULL in a partition column: the empty one, and the folder name that
  stands for NULL (measured). A row is compared and checked as it will be stored, because no merge would find a row by a
  value that its table cannot hold.
#}


{#
  `{columns, selected}`: the partition columns of text in which the query may yield such a value, and what to select
  from the query instead of it; none if the table holds every value. A time column is left out: no interval contains
  such a row, and Spark would no longer filter the sources by time. Pure.
#}
{% macro stored_as_null(write_spec, query_columns) %}
  {% if write_spec.file_format == 'iceberg' or not write_spec.partitioning %}
    {% do return(none) %}
  {% endif %}
  {% set names, columns, selected = dbt_kinds.quoted_names(write_spec.partitioning) | map('lower') | list, [], [] %}
  {% for quoted in dbt_kinds.quoted_names(query_columns) %}
    {% set column = query_columns[loop.index0] %}
    {% if quoted | lower in names and quoted != write_spec.get('time_column') and dbt_kinds._is_text(column)
        and dbt_kinds._is_text(dbt_kinds.find_column(write_spec.schema, column.name)) %}
      {% do columns.append(column.name) %}
      {% set quoted = 'if(cast(' ~ quoted ~ " as string) in ('', '__HIVE_DEFAULT_PARTITION__'), null, " ~ quoted
        ~ ') as ' ~ quoted %}
    {% endif %}
    {% do selected.append(quoted) %}
  {% endfor %}
  {% do return({'columns': columns, 'selected': selected} if columns else none) %}
{% endmacro %}


{# Not char, whose values are padded. #}
{% macro _is_text(column) %}
  {% do return(column is not none and (column.type in ['string', 'binary'] or column.type.startswith('varchar'))) %}
{% endmacro %}


{# SQL: the rows of a query as the table will hold them, by what `stored_as_null` returned of its columns. Pure. #}
{% macro rows_as_stored(as_null, query) %}
  {% do return(query if as_null is none else dbt_kinds.filtered_query(query, 'true', as_null.selected)) %}
{% endmacro %}


{# What to say of a NULL in one of these columns or expressions that the query may not have yielded as such; nothing for
   other columns. Pure. #}
{% macro stored_as_null_words(write_spec, expressions) %}
  {% set named = [] %}
  {% for column in (write_spec.get('stored_as_null') or {'columns': []}).columns
      if column | lower in expressions | join(' ') | lower %}
    {% do named.append(column) %}
  {% endfor %}
  {% do return(" ('' in " ~ named | join(', ') ~ ' is one, because ' ~ write_spec.file_format
    ~ ' stores it as NULL in a partition column; give it another value in the query)' if named else '') %}
{% endmacro %}
