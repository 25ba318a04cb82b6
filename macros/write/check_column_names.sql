{#
  Refuses columns whose names mean something else where their table is read. Iceberg reads no table with a column named like one of its own; and a column `_metadata` hides the
  files of a Parquet or ORC table, by which it is told what a write has changed.
#}
{% macro check_column_names(options, columns) %}
  {% set is_of_files, reserved = dbt_kinds.is_of_files(options.file_format), dbt_kinds.iceberg_columns() if options.file_format == 'iceberg' else [] %}
  {% for column in columns if column.name[:1] == '_' %}
    {% set way_out = '; give it another name in the query, as in `' ~ column.name ~ '` as ' ~ modules.re.sub('^_+', '', column.name) | lower %}
    {% if column.name in reserved %}
      {% do dbt_kinds.fail(options.model, "the column '" ~ column.name ~ "' has a name that Iceberg reserves, and Spark could not read the table" ~ way_out) %}
    {% elif is_of_files and column.name | lower == '_metadata' %}
      {% do dbt_kinds.fail(options.model, "the column '" ~ column.name ~ "' has the name under which Spark tells the files of a " ~ options.file_format
        ~ ' table, and dbt_kinds asks for them' ~ way_out) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# The names that Iceberg 1.10 refuses to read, in exactly this case (measured): the last two tell rows of format version 3 apart. #}
{% macro iceberg_columns() %}
  {% do return(['_file', '_pos', '_partition', '_spec_id', '_deleted', '_row_id', '_last_updated_sequence_number']) %}
{% endmacro %}
