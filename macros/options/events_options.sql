{#
  What the kind `events` adds: `{columns, landing, landing_table, stops_at_rejects}`, for a folder or a table, each
  column `{name, data_type, type, not_null}` with the type as parse_type returns it.
#}
{% macro events_options(node, options, given) %}
  {% set model = options.model %}
  {% set landing = given.get('landing') %}
  {% set path = landing.get('path') if landing is mapping else none %}
  {% set table = landing.get('table') if landing is mapping else none %}
  {% set is_named = (path and path is string and table is none)
    or (path is none and table is string and dbt_kinds.full_match('[^.`]+[.][^.`]+', table)) %}
  {% if not is_named or landing | length > 1 %}
    {% do dbt_kinds.fail(model, "landing '" ~ landing
      ~ "' is neither a folder nor a table; write landing: {path: /where/the/files/land} or landing: {table: schema.table}") %}
  {% elif '`' in (path or '') %}
    {% do dbt_kinds.fail(model, "landing '" ~ path
      ~ "' has a backtick, which SQL cannot quote in a path; use another folder") %}
  {% elif table is not none and 'max_files' in given %}
    {% do dbt_kinds.fail(model, 'max_files applies to landing: {path: …} only, and landing names a table; remove it') %}
  {% endif %}
  {% do return({
    'columns': dbt_kinds._event_columns(model, given.get('columns'), is_folder=path is not none),
    'landing': (path.rstrip('/') or '/') if path else none, 'landing_table': table,
    'stops_at_rejects': options.on_bad_record == 'error',
  }) %}
{% endmacro %}


{% macro _event_columns(model, written, is_folder=true) %}
  {% if not written or written is string or written is mapping or written is not sequence %}
    {% do dbt_kinds.fail(model, "columns '" ~ written
      ~ "' is not a list of columns; write columns: [{name: id, data_type: bigint, not_null: true}]") %}
  {% endif %}
  {% set columns, names = [], [] %}
  {% for column in written %}
    {% if column is not mapping or not column.get('name') or not column.get('data_type')
        or column.keys() | reject('in', ['name', 'data_type', 'not_null']) | list %}
      {% do dbt_kinds.fail(model, "the column '" ~ column
        ~ "' is not {name: …, data_type: …, not_null: true or false}") %}
    {% endif %}
    {% set name, type = column.name | string, dbt_kinds.parse_type(column.data_type | string) %}
    {% do dbt_kinds.validate_sql_fragment(model, 'data_type of ' ~ name, column.data_type | string) %}
    {% if name | lower in names %}
      {% do dbt_kinds.fail(model, 'columns names ' ~ name ~ ' twice; Spark does not tell names apart by their case') %}
    {% elif name.startswith('_kinds_') %}
      {% do dbt_kinds.fail(model, 'the column name ' ~ name
        ~ ' begins with _kinds_, which is reserved; use another name') %}
    {% elif is_folder and modules.re.search('(?i)\\b(var)?char(acter)?\\b', column.data_type | string) %}
      {# from_json knows no such types #}
      {% do dbt_kinds.fail(model, 'the column ' ~ name ~ ' is of type ' ~ column.data_type
        ~ ', which cannot be read from a file; declare it as string') %}
    {% elif type.kind != 'atomic' and modules.re.search('(?i)\\b(date|timestamp|timestamp_ntz|timestamp_ltz)\\b',
        column.data_type | string) %}
      {# from_json raises at a value that it cannot read, and the whole run fails (measured on Spark 3.5.9) #}
      {% do dbt_kinds.fail(model, 'the column ' ~ name ~ ' holds dates or timestamps within a ' ~ type.kind
        ~ ', one of which could stop a run if it cannot be read; declare them as string') %}
    {% endif %}
    {% do names.append(name | lower) %}
    {% do columns.append({
      'name': name, 'data_type': column.data_type | string, 'type': type,
      'not_null': dbt_kinds.true_or_false(model, 'not_null of ' ~ name, column.get('not_null', false)),
    }) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
