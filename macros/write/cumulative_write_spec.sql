{#
  For tables of states: see table_write_spec; plus `key_parts`, the quoted key columns, `functions`, which combine two
  states of each column, `sums`, the columns that are added up, and `clauses`, what a merge does to an existing row.
#}
{% macro cumulative_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% do dbt_kinds._check_states(options, query_columns) %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns, existing, options.partition_by) %}
  {% do dbt_kinds._check_key_stays(options, write_spec, existing) if existing is not none %}
  {% set keys, functions, sums, assignments = [], {}, [], [] %}
  {% set of_key, by_combiner = options.unique_key | map('lower') | list, dbt_kinds.state_functions() %}
  {% for quoted in dbt_kinds.quoted_names(write_spec.schema) %}
    {% set column = write_spec.schema[loop.index0] %}
    {% set combiner = options.combine.get(column.name | lower) %}
    {% if column.name | lower in of_key %}
      {% do keys.append(quoted) %}
    {% elif combiner is not none %}
      {% do functions.update({quoted: by_combiner[combiner]}) %}
      {% do sums.append({'name': column.name, 'type': column.type}) if combiner == 'add' %}
      {% do assignments.append({'column': quoted, 'expression': '__kinds_row.' ~ quoted}) %}
    {% endif %}
  {% endfor %}
  {% do return(dict(
    write_spec, key_parts=keys, functions=functions, sums=sums,
    clauses=[{'condition': none, 'action': 'update', 'assignments': assignments}] if assignments else []
  )) %}
{% endmacro %}


{# Checks that every column is a key or has a combiner, and that all of these are columns. #}
{% macro _check_states(options, query_columns) %}
  {% set names = query_columns | map(attribute='name') | list %}
  {% for option, columns in {'unique_key': options.unique_key, 'combine': options.combine}.items() %}
    {% for column in columns if column | lower not in names | map('lower') %}
      {% do dbt_kinds.fail(options.model,
        option ~ " names the column '" ~ column ~ "', and the query has " ~ names | join(', ')) %}
    {% endfor %}
  {% endfor %}
  {% set keys = [] %}
  {% for key in options.unique_key %}{% do keys.append(dbt_kinds.find_column(query_columns, key)) %}{% endfor %}
  {% do dbt_kinds.check_keys_compare(options, keys) %}
  {% for name in names if name | lower not in options.combine
      and name | lower not in options.unique_key | map('lower') %}
    {% do dbt_kinds.fail(options.model,
      "the column '" ~ name ~ "' has no combiner; add it to unique_key if the query groups by it, otherwise add it to "
      ~ 'combine, with one of ' ~ dbt_kinds.state_functions() | join(', ')) %}
  {% endfor %}
{% endmacro %}


{# Refuses a changed key: the table's states could not be matched to it, or would match more than once. #}
{% macro _check_key_stays(options, write_spec, existing) %}
  {% for key in options.unique_key %}
    {% set changed = [] %}
    {% for change in write_spec.schema_changes
        if change.path[0] | lower == key | lower and (change.path | length > 1 or change.change == 'alter') %}
      {% do changed.append(change) %}
    {% endfor %}
    {% if dbt_kinds.find_column(existing.columns, key) is none or changed %}
      {% do dbt_kinds.fail(options.model,
        "unique_key names the column '" ~ key ~ "', " ~ ('whose type is another than' if changed else 'which is not')
          ~ ' in the table '
          ~ options.relation ~ '; its states are of other keys: rebuild the table with --full-refresh') %}
    {% endif %}
  {% endfor %}
{% endmacro %}
