{#
  The values of existing rows in columns that the query gained: from column to an SQL expression over the row, given as
  `backfill`, else as `default`, in the meta of the model's column. `changes` are those of accepted_changes. Warns if
  the format cannot update rows.
#}
{% macro column_backfills(node, options, changes) %}
  {% set backfills = {} %}
  {% for change in changes if change.change == 'add' and change.path | length == 1 %}
    {% set expression = dbt_kinds.backfill_of(node, change.path[0]) %}
    {% if expression is not none and not dbt_kinds.supports_snapshots(options.file_format) %}
      {% do dbt_kinds.warn(options.model, "existing rows hold NULL in the new column '" ~ change.path[0] ~ "', because "
        ~ options.file_format ~ ' tables cannot be updated; reload these rows, or set file_format: iceberg') %}
    {% elif expression is not none %}
      {% do backfills.update({change.path[0]: dbt_kinds.validate_sql_fragment(options.model,
        'backfill of the column ' ~ change.path[0], expression | string)}) %}
    {% endif %}
  {% endfor %}
  {% do return(backfills) %}
{% endmacro %}


{# What a model gives as the value of existing rows in a column, none if nothing. Pure. #}
{% macro backfill_of(node, name) %}
  {% for column in node.columns.values() if column.name | lower == name | lower %}
    {% set meta = dict(column.get('meta') or {}, **((column.get('config') or {}).get('meta') or {})) %}
    {% do return(meta.get('backfill') if meta.get('backfill') is not none else meta.get('default')) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# Sets the values of existing rows in new columns. Idempotent. #}
{% macro backfill_columns(relation, backfills) %}
  {% set assignments = [] %}
  {% for column, expression in backfills.items() %}
    {% do assignments.append(dbt_kinds.quoted(column) ~ ' = ' ~ expression) %}
  {% endfor %}
  {% call statement('backfill_columns') %}
update {{ relation }} set {{ assignments | join(', ') }}
  {% endcall %}
{% endmacro %}
