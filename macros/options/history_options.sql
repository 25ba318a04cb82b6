{# What SCD type 2 by time and by column add to the options that were read. #}
{% macro history_options(node, options, given) %}
  {% set model, is_by_time = options.model, options.traits.is_dated_by_source %}
  {% if 'unique_key' not in given %}
    {% do dbt_kinds.fail(model,
      "unique_key is missing; name the columns or SQL expressions that tell rows apart, as in meta={'unique_key': ['id']}") %}
  {% elif not is_by_time and 'columns' not in given %}
    {% do dbt_kinds.fail(model,
      "columns is missing; name the columns whose change begins a new version, as in meta={'columns': ['price']}, or write '*'") %}
  {% endif %}
  {% set found = {
    'unique_key': dbt_kinds.key_expressions(model, given.unique_key),
    'order_by': [],
    'columns': [] if is_by_time else dbt_kinds._compared_columns(model, given.columns),
    'dates_first_load': options.updated_at_as_valid_from if is_by_time else options.execution_time_as_valid_from,
  } %}
  {% if options.duplicate_keys == 'replace_all' %}
    {% do dbt_kinds.fail(model,
      'duplicate_keys: replace_all belongs to incremental_by_unique_key: SCD type 2 keeps one version of a key at a time; remove it') %}
  {% endif %}
  {% if options.duplicate_keys == 'keep_latest' and not is_by_time %}
    {% do dbt_kinds.fail(model,
      'duplicate_keys: keep_latest goes by updated_at, so it belongs to scd_type_2_by_time; remove it, and make the query yield '
      ~ 'one row for each key') %}
  {% endif %}
  {% if options.empty_source is not none and not options.invalidate_hard_deletes %}
    {% do dbt_kinds.fail(model,
      'empty_source says what a query without rows does to the versions, and without invalidate_hard_deletes it closes none; '
      ~ 'set invalidate_hard_deletes: true, or remove empty_source') %}
  {% endif %}
  {% set managed = [options.valid_from_name, options.valid_to_name] %}
  {% if managed[0] | lower == managed[1] | lower %}
    {% do dbt_kinds.fail(model, "valid_from_name and valid_to_name are both '" ~ managed[0] ~ "'; name two columns") %}
  {% endif %}
  {% for name in [options.updated_at_name] + (found.columns if found.columns != '*' else [])
      if name and name | lower in managed | map('lower') %}
    {% do dbt_kinds.fail(model, "the column '" ~ name
      ~ "' is written by this kind and cannot be one that the query has; name another column, or set "
      ~ 'valid_from_name and valid_to_name') %}
  {% endfor %}
  {% do return(found) %}
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
