{#
  Refuses columns whose names mean something else where their table is read. Iceberg reads no table with a column named
  like one of its own; and a column `_metadata` hides the files of a Parquet or ORC table, by which it is told what a
  write has changed. Delta takes some characters only with column mapping, which a table has or is given.
#}
{% macro check_column_names(options, columns, existing=none) %}
  {% set is_file_format, reserved = dbt_kinds.is_file_format(options.file_format),
    dbt_kinds.iceberg_columns() if options.file_format == 'iceberg' else [] %}
  {% for column in columns if column.name[:1] == '_' %}
    {% set way_out = '; give it another name in the query, as in `' ~ column.name ~ '` as '
      ~ modules.re.sub('^_+', '', column.name) | lower %}
    {% if column.name in reserved %}
      {% do dbt_kinds.fail(options.model,
        "the column '" ~ column.name ~ "' has a name that Iceberg reserves, and Spark could not read the table"
          ~ way_out) %}
    {% elif is_file_format and column.name | lower == '_metadata' %}
      {% do dbt_kinds.fail(options.model,
        "the column '" ~ column.name ~ "' has the name under which Spark tells the files of a " ~ options.file_format
        ~ ' table, and dbt_kinds asks for them' ~ way_out) %}
    {% endif %}
  {% endfor %}
  {% do dbt_kinds._check_names_on_delta(options, columns, existing) if options.file_format == 'delta' %}
{% endmacro %}


{% macro _check_names_on_delta(options, columns, existing) %}
  {% for column in columns if modules.re.search('[ ,;{}()\\n\\t=]', column.name)
      and (existing is none or dbt_kinds.find_column(existing.columns, column.name) is none)
      and not dbt_kinds._maps_columns() %}
    {% do dbt_kinds.fail(options.model,
      "the column '" ~ column.name
        ~ "' has a name with a space, a comma or another of ,;{}()=, which Delta takes only with column mapping; "
      ~ "give it another name in the query, or write config(tblproperties={'delta.columnMapping.mode': 'name'}), which older readers of Delta do not read") %}
  {% endfor %}
{% endmacro %}


{# Whether the model asks for Delta's column mapping. #}
{% macro _maps_columns() %}
  {% do return((config.get('tblproperties') or {}).get('delta.columnMapping.mode', 'none') | lower in ['name', 'id']) %}
{% endmacro %}


{# The names that Iceberg 1.10 refuses to read, in exactly this case (measured): the last two tell rows of format
   version 3 apart. #}
{% macro iceberg_columns() %}
  {% do return(['_file', '_pos', '_partition', '_spec_id', '_deleted', '_row_id', '_last_updated_sequence_number']) %}
{% endmacro %}
