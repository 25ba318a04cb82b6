{#
  The changes to a table's columns that a query requires and the model's options allow, as in schema_changes, with
  `in_place`:
  whether the format can make them without rewriting rows. Raises for other changes.
#}
{% macro accepted_changes(options, query_columns, existing) %}
  {% if existing.file_format is not none and existing.file_format != options.file_format %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' is ' ~ existing.file_format ~ ', but file_format is '
      ~ options.file_format ~ '; run with --full-refresh to rebuild the table') %}
  {% endif %}
  {% set accepted, refused, settings = [], [], [] %}
  {% for change in dbt_kinds.schema_changes(dbt_kinds._comparable(existing.columns),
      dbt_kinds._comparable(query_columns)) %}
    {% set setting = 'on_destructive_change' if dbt_kinds.is_destructive(change) else 'on_additive_change' %}
    {% set words, change = dbt_kinds.change_words(change),
      dict(change, in_place=dbt_kinds._is_done_in_place(options.file_format, change)) %}
    {% if options[setting] == 'error' %}
      {% do refused.append(words) %}
      {% do settings.append(setting ~ ': allow') if setting ~ ': allow' not in settings %}
    {% elif options[setting] != 'ignore' %}
      {% do dbt_kinds._check_change(options, existing, change, words) %}
      {% do dbt_kinds.warn(options.model, 'the query ' ~ words ~ ' of ' ~ options.relation)
        if options[setting] == 'warn' %}
      {% do accepted.append(change) %}
    {% elif change.change == 'alter' or (change.change == 'widen' and change.path | length > 1) %}
      {% do dbt_kinds.fail(options.model, 'the query ' ~ words ~ ' of ' ~ options.relation ~ ', and ' ~ setting
        ~ ': ignore has no value to write there; cast it in the query, or run with --full-refresh') %}
    {% endif %}
  {% endfor %}
  {% if refused %}
    {% do dbt_kinds.fail(options.model,
      'the query does not fit the table ' ~ options.relation ~ ': it ' ~ refused | join(', ')
        ~ '; run with --full-refresh to '
        ~ 'rebuild the table, or set ' ~ settings | join(' and ')) %}
  {% endif %}
  {% do return(accepted) %}
{% endmacro %}


{# A table's varchar and char columns are strings in a query; lengths are checked when rows are written. #}
{% macro _comparable(columns) %}
  {% set comparable = [] %}
  {% for column in columns %}
    {% do comparable.append({'name': column.name,
      'type': modules.re.sub('\\b(var)?char\([0-9]+\)', 'string', column.type)}) %}
  {% endfor %}
  {% do return(comparable) %}
{% endmacro %}


{# What the format's `alter table` can do. #}
{% macro _is_done_in_place(file_format, change) %}
  {% if change.change == 'add' %}
    {% do return(change.path | length == 1 or dbt_kinds.supports_snapshots(file_format)) %}
  {% elif file_format != 'iceberg' or change.change == 'alter' %}
    {% do return(false) %}
  {% elif change.change == 'drop' %}
    {% do return(true) %}
  {% endif %}
  {% set decimals = modules.re.findall('decimal\([0-9]+,([0-9]+)\)', change['from'] ~ change.to) %}
  {% do return([change['from'], change.to] in [['int', 'bigint'], ['float', 'double']]
    or (decimals | length == 2 and decimals[0] == decimals[1])) %}
{% endmacro %}


{# Columns that locate rows cannot change; and a Parquet or ORC table is not rewritten for an addition. #}
{% macro _check_change(options, existing, change, words) %}
  {% set way_out = '; run with --full-refresh to rebuild the table' %}
  {% do dbt_kinds.check_column_types(options, [{'name': change.path | join('.'), 'type': change.to}]) if change.to %}
  {% for field in existing.partitioning
      if change.change != 'add' and change.path[0] | lower in dbt_kinds._words_of(field) %}
    {% do dbt_kinds.fail(options.model,
      'the query ' ~ words ~ ' of ' ~ options.relation ~ ', which is partitioned by it' ~ way_out) %}
  {% endfor %}
  {% if not change.in_place and not dbt_kinds.is_destructive(change)
      and dbt_kinds.is_file_format(options.file_format) %}
    {% do dbt_kinds.fail(options.model,
      'the query ' ~ words ~ ' of ' ~ options.relation ~ ', which ' ~ options.file_format ~ ' cannot do in place'
        ~ way_out
        ~ ', or cast the column in the query to what it is in the table') %}
  {% endif %}
{% endmacro %}


{# `days(`ts`)` -> its words in lower case. #}
{% macro _words_of(field) %}
  {% do return(dbt_kinds.lexed_words(field | lower) | map(attribute='name') | list
    + [dbt_kinds.unquoted(field | lower)]) %}
{% endmacro %}
