{#
  For SCD type 2, by time, by column or by run: see table_write_spec; plus what a merge needs, determined and checked
  before anything is written: `key_parts` and `key_types`, the key's SQL for a row, `updated_at`, the column that dates
  rows, none if there is none, `compared`, the columns whose change begins a version, and what the columns that the kind
  itself writes, `own_columns` (among them `valid_from` and `valid_to`), get in a version that is `opened` and in one
  that is `closed`. The columns of the query are `source_schema`, `source_columns` and `source_selected`. `counted` is
  for check_keys.
#}
{% macro history_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% set is_by_run = options.traits.numbers_by_run %}
  {% set managed = [{'name': options.valid_from_name, 'type': options.time_data_type},
    {'name': options.valid_to_name, 'type': options.time_data_type}]
    + ([{'name': 'is_current', 'type': 'boolean'}] if is_by_run else []) %}
  {% for column in managed if dbt_kinds.find_column(query_columns, column.name) is not none %}
    {% do dbt_kinds.fail(options.model,
      "the query has a column '" ~ column.name ~ "', which this kind writes itself; leave it out of the query"
      ~ ('' if column.name == 'is_current' else ', or give it another name with valid_from_name and valid_to_name')) %}
  {% endfor %}
  {% do dbt_kinds._check_dating_column(options, query_columns, 'query') %}
  {% do dbt_kinds._check_history_table(options, existing) if existing is not none %}
  {% do dbt_kinds._check_run_keys(options, query_columns, existing) if is_by_run %}
  {% do dbt_kinds.check_keys_compare(options, keys) %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns + managed, existing, options.partition_by) %}
  {% set of_table, own, source = dbt_kinds.columns_by_name(write_spec.schema), dbt_kinds.columns_by_name(managed), [] %}
  {% for column in write_spec.schema if column.name | lower not in own %}
    {% do source.append(column) %}
  {% endfor %}
  {% set updated_at = of_table.get(options.updated_at_name | lower) if options.updated_at_name is not none else none %}
  {% if options.updated_at_name is not none and updated_at is none %}
    {% do dbt_kinds.fail(options.model,
      "the table " ~ options.relation ~ " has no column '" ~ options.updated_at_name
        ~ "', by which changes are dated; set on_additive_change: allow") %}
  {% endif %}
  {% set valid_from, valid_to = of_table[options.valid_from_name | lower], of_table[options.valid_to_name | lower] %}
  {# spark.sql.storeAssignmentPolicy STRICT rejects an untyped NULL #}
  {% set opened = {dbt_kinds.quoted(valid_from.name): '__kinds_boundary',
    dbt_kinds.quoted(valid_to.name): 'cast(null as ' ~ dbt_kinds.sql_type(valid_to.type) ~ ')'} %}
  {% set closed = [{'column': dbt_kinds.quoted(valid_to.name),
    'expression': '__kinds_boundary' ~ (' - 1' if is_by_run else '')}] %}
  {% if is_by_run %}
    {% do opened.update({dbt_kinds.quoted(of_table['is_current'].name): 'true'}) %}
    {% do closed.append({'column': dbt_kinds.quoted(of_table['is_current'].name), 'expression': 'false'}) %}
  {% endif %}
  {% do return(dict(
    write_spec,
    writes_whole_table=existing is none,
    own_columns=managed,
    source_schema=source,
    source_columns=dbt_kinds.quoted_names(source),
    source_selected=dbt_kinds._narrowed_columns(query_columns, source),
    checks_keys=true, key_parts=dbt_kinds.key_parts(options, source),
    key_types=dbt_kinds.key_types(options, source, keys),
    updated_at=updated_at,
    compared=dbt_kinds._columns_to_compare(options, query_columns, source),
    valid_from=dbt_kinds.quoted(valid_from.name), valid_to=dbt_kinds.quoted(valid_to.name), opened=opened,
    closed=closed,
    counted={'undated_rows': dbt_kinds.quoted(updated_at.name) ~ ' is null'} if updated_at is not none else {}
  )) %}
{% endmacro %}


{# The keys of versions by run are columns, and keep their type. #}
{% macro _check_run_keys(options, query_columns, existing) %}
  {% for key in options.unique_key %}
    {% set column = dbt_kinds.find_column(query_columns, dbt_kinds.unquoted(key)) %}
    {% if column is none %}
      {% do dbt_kinds.fail(options.model,
        "ColumnNotInOutput: unique_key names '" ~ key ~ "', and the query has "
          ~ query_columns | map(attribute='name') | join(', ')
          ~ '; select it, or name another column') %}
    {% endif %}
    {% set stored = dbt_kinds.find_column(existing.columns, column.name) if existing is not none else none %}
    {% if stored is not none and stored.type != column.type %}
      {% do dbt_kinds.fail(options.model,
        'the key ' ~ column.name ~ ' is ' ~ stored.type ~ ' in the table and ' ~ column.type
          ~ ' in the query, so that nothing tells which versions belong together; '
          ~ 'cast it, or begin the history again with --full-refresh') %}
    {% endif %}
    {% do dbt_kinds.check_keys_compare({'model': options.model, 'unique_key': [key]}, [column]) %}
  {% endfor %}
{% endmacro %}


{#
  What to select from the query for each of the source's columns; a number of a type that on_additive_change: ignore
  leaves wider than the table's is cast to that type: an insert would cast it after it has been compared, so that it
  would seem to have changed in every run. Like the insert, it raises for a number that does not fit.
#}
{% macro _narrowed_columns(query_columns, columns) %}
  {% set selected = [] %}
  {% set by_name = dbt_kinds.columns_by_name(query_columns) %}
  {% for expression in dbt_kinds.selected_columns(query_columns, columns) %}
    {% set column = columns[loop.index0] %}
    {% set source = by_name.get(column.name | lower) %}
    {% if source is none or source.type == column.type or '<' in column.type
        or dbt_kinds.text_length(column.type) is not none
        or dbt_kinds.fits_into(dbt_kinds.parse_type(source.type), dbt_kinds.parse_type(column.type)) %}
      {% do selected.append(expression) %}
    {% else %}
      {% set words = 'column ' ~ column.name ~ ' is ' ~ column.type ~ ' in the table, which cannot hold ' %}
      {% do selected.append(dbt_kinds.cast_or_raise(dbt_kinds.quoted(column.name), column.type, words) ~ ' as '
        ~ dbt_kinds.quoted(column.name)) %}
    {% endif %}
  {% endfor %}
  {% do return(selected) %}
{% endmacro %}


{% macro null_of(options) %}
  {% do return('cast(null as ' ~ dbt_kinds.sql_type(options.time_data_type) ~ ')') %}
{% endmacro %}


{% macro _check_dating_column(options, columns, where) %}
  {% if options.updated_at_name is not none %}
    {% set column = dbt_kinds.find_column(columns, options.updated_at_name) %}
    {% if column is none and where == 'query' %}
      {% do dbt_kinds.fail(options.model,
        "updated_at_name '" ~ options.updated_at_name ~ "' is not a column of the query, which has "
        ~ columns | map(attribute='name') | join(', ')) %}
    {% elif column is not none and column.type not in ['date', 'timestamp', 'timestamp_ntz'] %}
      {% do dbt_kinds.fail(options.model,
        "updated_at_name '" ~ column.name ~ "' has the type " ~ column.type ~ ' in the ' ~ where
        ~ ', and must be a date or a timestamp; cast it in the query'
        ~ (', and rebuild the table with --full-refresh' if where == 'table')) %}
    {% endif %}
  {% endif %}
{% endmacro %}


{% macro _check_history_table(options, existing) %}
  {% for option in ['valid_from_name', 'valid_to_name']
      if dbt_kinds.find_column(existing.columns, options[option]) is none %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ " has no column '" ~ options[option] ~ "', which the option " ~ option
      ~ ' names; it has ' ~ existing.columns | map(attribute='name') | join(', ')) %}
  {% endfor %}
  {% do dbt_kinds._check_dating_column(options, existing.columns, 'table') %}
{% endmacro %}


{# `*` means every column except those that identify or date rows. #}
{% macro _columns_to_compare(options, query_columns, source) %}
  {% set compared, of_query, of_source = [], dbt_kinds.columns_by_name(query_columns),
    dbt_kinds.columns_by_name(source) %}
  {% if options.columns == '*' %}
    {% set left_out = [options.updated_at_name | lower] if options.updated_at_name is not none else [] %}
    {% for key in options.unique_key %}
      {% set words = dbt_kinds.lexed_words(dbt_kinds.without_parentheses(key)) %}
      {% do left_out.append(words[0].name | lower) if words | length == 1 %}
    {% endfor %}
    {% for name in of_query if name not in left_out and name in of_source %}
      {% do compared.append(of_source[name]) %}
    {% endfor %}
  {% else %}
    {% for name in options.columns %}
      {% if name | lower not in of_query or name | lower not in of_source %}
        {% do dbt_kinds.fail(options.model,
          "columns names '" ~ name ~ "', and the query has " ~ query_columns | map(attribute='name') | join(', ')) %}
      {% endif %}
      {% do compared.append(of_source[name | lower]) %}
    {% endfor %}
  {% endif %}
  {% for column in compared if not options.traits.numbers_by_run %}
    {% set found = dbt_kinds.incomparable(column.type) %}
    {% do dbt_kinds.fail(options.model,
      "columns compares '" ~ column.name ~ "', a " ~ column.type ~ ', and Spark cannot compare ' ~ found.what ~ '; '
      ~ ('name the columns to compare instead of *' if options.columns == '*' else 'leave it out')
      ~ ', or make ' ~ found.instead) if found is not none %}
  {% endfor %}
  {% do return(compared) %}
{% endmacro %}
