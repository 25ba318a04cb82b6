{# The options of SCD type 2. `options` are those that every kind has. #}
{% macro history_options(options, given) %}
  {% set model, is_by_time = options.model, options.kind == 'scd_type_2_by_time' %}
  {% if 'unique_key' not in given %}
    {% do dbt_kinds.fail(model, "unique_key is missing; name the columns or SQL expressions that tell rows apart, as in meta={'unique_key': ['id']}") %}
  {% elif not is_by_time and 'columns' not in given %}
    {% do dbt_kinds.fail(model, "columns is missing; name the columns whose change begins a new version, as in meta={'columns': ['price']}, or write '*'") %}
  {% endif %}
  {% set dates_first_load = 'updated_at_as_valid_from' if is_by_time else 'execution_time_as_valid_from' %}
  {% set found = {
    'unique_key': dbt_kinds.key_expressions(model, given.unique_key),
    'order_by': [],
    'updated_at_name': dbt_kinds._column_option(model, given, 'updated_at_name', 'updated_at' if is_by_time else none),
    'valid_from_name': dbt_kinds._column_option(model, given, 'valid_from_name', 'valid_from'),
    'valid_to_name': dbt_kinds._column_option(model, given, 'valid_to_name', 'valid_to'),
    'columns': [] if is_by_time else dbt_kinds._compared_columns(model, given.columns),
    'dates_first_load': dbt_kinds.true_or_false(model, dates_first_load, given.get(dates_first_load, false)),
    'time_data_type': dbt_kinds.one_of(model, 'time_data_type', given.get('time_data_type', 'timestamp'), ['timestamp', 'timestamp_ntz', 'date']),
    'invalidate_hard_deletes': dbt_kinds.true_or_false(model, 'invalidate_hard_deletes', given.get('invalidate_hard_deletes', false)),
    'empty_source': dbt_kinds.one_of(model, 'empty_source', given.empty_source, ['error', 'keep', 'delete']) if 'empty_source' in given else none,
    'hard_deletes_from_filtered_query':
      dbt_kinds.one_of(model, 'hard_deletes_from_filtered_query', given.get('hard_deletes_from_filtered_query', 'error'), ['error', 'allow']),
    'null_keys': dbt_kinds.one_of(model, 'null_keys', given.get('null_keys', 'error'), ['error', 'match']),
    'duplicate_keys': dbt_kinds.one_of(model, 'duplicate_keys', given.get('duplicate_keys', 'error'), ['error', 'keep_latest']),
  } %}
  {% if found.duplicate_keys == 'keep_latest' and not is_by_time %}
    {% do dbt_kinds.fail(model, 'duplicate_keys: keep_latest goes by updated_at, so it belongs to scd_type_2_by_time; remove it, and make the query yield '
      ~ 'one row for each key') %}
  {% endif %}
  {% if found.empty_source is not none and not found.invalidate_hard_deletes %}
    {% do dbt_kinds.fail(model, 'empty_source says what a query without rows does to the versions, and without invalidate_hard_deletes it closes none; '
      ~ 'set invalidate_hard_deletes: true, or remove empty_source') %}
  {% endif %}
  {% set managed = [found.valid_from_name, found.valid_to_name] %}
  {% if managed[0] | lower == managed[1] | lower %}
    {% do dbt_kinds.fail(model, "valid_from_name and valid_to_name are both '" ~ managed[0] ~ "'; name two columns") %}
  {% endif %}
  {% for name in [found.updated_at_name] + (found.columns if found.columns != '*' else []) if name and name | lower in managed | map('lower') %}
    {% do dbt_kinds.fail(model, "the column '" ~ name ~ "' is written by this kind and cannot be one that the query has; name another column, or set "
      ~ 'valid_from_name and valid_to_name') %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# The name of one column, without backticks. #}
{% macro _column_option(model, given, name, default) %}
  {% set written = given.get(name, default) %}
  {% if written is none %}
    {% do return(none) %}
  {% endif %}
  {% set column = dbt_kinds.unquoted(written) if written is string and written.strip() != '``' else '' %}
  {% if not column %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ written ~ "' is not a column; write its name, such as " ~ (default or 'updated_at')) %}
  {% endif %}
  {% do return(column) %}
{% endmacro %}


{# '*', or names without backticks. #}
{% macro _compared_columns(model, written) %}
  {% set example = "'*', or a list such as [name, price]" %}
  {% if not written or written is mapping or (written is not string and written is not sequence) %}
    {% do dbt_kinds.fail(model, "columns '" ~ written ~ "' is not a list of columns; write " ~ example) %}
  {% endif %}
  {% set names = [] %}
  {% for text in (dbt_kinds.split_top_level(written) if written is string else written) %}
    {% if text is not string or text.strip() in ['', '``'] %}
      {% do dbt_kinds.fail(model, "columns holds '" ~ text ~ "', which is not a column; write " ~ example) %}
    {% endif %}
    {% do names.append(dbt_kinds.unquoted(text)) %}
  {% endfor %}
  {% if '*' not in names %}
    {% do return(names) %}
  {% elif names | length > 1 %}
    {% do dbt_kinds.fail(model, "columns holds '*', which is every column, and others; write " ~ example) %}
  {% endif %}
  {% do return('*') %}
{% endmacro %}
