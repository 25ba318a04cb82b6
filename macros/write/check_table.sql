{#
  Refuses a table that the query does not fit. Columns go by name, whatever their order; the fields of a struct go by
  position in Spark's insert, so there the types have to be the same (two ints were swapped without a word; measured).
#}
{% macro check_table(options, query_columns, existing) %}
  {% set way_out = '; run with --full-refresh to rebuild the table' %}
  {% if existing.file_format is not none and existing.file_format != options.file_format %}
    {% do dbt_kinds.fail(options.model, 'the table ' ~ options.relation ~ ' is ' ~ existing.file_format ~ ', but file_format is '
      ~ options.file_format ~ way_out) %}
  {% endif %}
  {% set lost, gained, changed = [], [], [] %}
  {% for column in existing.columns if dbt_kinds.find_column(query_columns, column.name) is none %}
    {% do lost.append(column.name) %}
  {% endfor %}
  {% for column in query_columns %}
    {% set stored = dbt_kinds.find_column(existing.columns, column.name) %}
    {% if stored is none %}
      {% do gained.append(column.name) %}
    {% elif stored.type != column.type and '<' in stored.type ~ column.type %}
      {% do changed.append(column.name ~ ' (' ~ stored.type ~ ' in the table, ' ~ column.type ~ ' in the query)') %}
    {% endif %}
  {% endfor %}
  {% if lost or gained or changed %}
    {% set differences = [] %}
    {% do differences.append('the query lacks ' ~ lost | join(', ')) if lost %}
    {% do differences.append('the table lacks ' ~ gained | join(', ')) if gained %}
    {% do differences.append('the types differ of ' ~ changed | join(', ')) if changed %}
    {% do dbt_kinds.fail(options.model, 'the query does not fit the table ' ~ options.relation ~ ': ' ~ differences | join('; ') ~ way_out) %}
  {% endif %}
{% endmacro %}
