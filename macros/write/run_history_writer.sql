{#
  For SCD type 2 by run: see table_writer, whose columns are those of the query, the two numbers and `is_current`; plus `source_schema`, `source_columns`
  and `source_selected`, the same without them, `keys`, `source_keys`, the key's SQL for a staged row, and `is_equal`, the condition that a staged row and a version are equal.
#}
{% macro run_history_writer(options, query_columns, existing, query, keys=[]) %}
  {% set own = [{'name': options.valid_from_name, 'type': 'bigint'}, {'name': options.valid_to_name, 'type': 'bigint'}, {'name': 'is_current', 'type': 'boolean'}] %}
  {% for column in own if dbt_kinds.find_column(query_columns, column.name) is not none %}
    {% do dbt_kinds.fail(options.model, "the query has a column '" ~ column.name ~ "', which this kind writes itself; leave it out"
      ~ ('' if column.name == 'is_current' else ', or set valid_from_name and valid_to_name')) %}
  {% endfor %}
  {% set writer = dbt_kinds.table_writer(options, query_columns + own, existing, options.partition_by) %}
  {% set source, names = [], own | map(attribute='name') | map('lower') | list %}
  {% for column in writer.schema %}
    {% do source.append(column) if column.name | lower not in names %}
  {% endfor %}
  {% set keys, source_keys, is_equal = [], [], [] %}
  {% for key in options.unique_key %}
    {% set column = dbt_kinds.find_column(query_columns, dbt_kinds.unquoted(key)) %}
    {% if column is none %}
      {% do dbt_kinds.fail(options.model, "ColumnNotInOutput: unique_key names '" ~ key ~ "', and the query has " ~ query_columns | map(attribute='name') | join(', ')
        ~ '; select it, or name another column') %}
    {% endif %}
    {% set stored = dbt_kinds.find_column(existing.columns, column.name) if existing is not none else none %}
    {% if stored is not none and stored.type != column.type %}
      {% do dbt_kinds.fail(options.model, 'the key ' ~ column.name ~ ' is ' ~ stored.type ~ ' in the table and ' ~ column.type ~ ' in the query, so that nothing tells which versions belong together; '
        ~ 'cast it, or begin the history again with --full-refresh') %}
    {% endif %}
    {% do dbt_kinds.check_keys_compare({'model': options.model, 'unique_key': [key]}, [column]) %}
    {% do keys.append(dbt_kinds.quoted(column.name)) %}
    {% do source_keys.append('source.' ~ dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% for column in source %}
    {% set quoted, type = dbt_kinds.quoted(column.name), dbt_kinds.parse_type(column.type) %}
    {% do is_equal.append(dbt_kinds.hashable('source.' ~ quoted, type) ~ ' <=> ' ~ dbt_kinds.hashable('target.' ~ quoted, type)) %}
  {% endfor %}
  {% do return(dict(
    writer, replaces_table=existing is none, own_columns=own, source_schema=source, source_columns=dbt_kinds.quoted_names(source), source_selected=dbt_kinds.selected_columns(query_columns, source),
    keys=keys, source_keys=source_keys, is_equal=is_equal | join(' and ')
  )) %}
{% endmacro %}


{# SQL: staged rows as versions that begin at a run number, with the table's columns, preceded by `_action` if one is given. Pure. #}
{% macro opened_versions(options, writer, rows, sequence, action=none) %}
  {% set own = {options.valid_from_name | lower: 'cast(' ~ sequence ~ ' as bigint)', options.valid_to_name | lower: 'cast(null as bigint)', 'is_current': 'true'} %}
  {% set selected = [] if action is none else ["'" ~ action ~ "' as _action"] %}
  {% for column in writer.schema %}
    {% set quoted = dbt_kinds.quoted(column.name) %}
    {% do selected.append(own.get(column.name | lower, 'source.' ~ quoted) ~ ' as ' ~ quoted) %}
  {% endfor %}
  {% do return('select ' ~ selected | join(', ') ~ ' from ' ~ rows ~ ' as source') %}
{% endmacro %}


{# SQL: the changes, with the table's columns and `_action`: versions to open, and one row for each version to close. #}
{% macro version_actions(relation, options, writer, rows, sequence) %}
  {% set closed = [] %}
  {% for column in writer.schema %}
    {% set quoted = dbt_kinds.quoted(column.name) %}
    {% do closed.append(('target.' ~ quoted if quoted in writer['keys'] else 'cast(null as ' ~ dbt_kinds.type_text(dbt_kinds.parse_type(column.type)) ~ ')') ~ ' as ' ~ quoted) %}
  {% endfor %}
  {% set open_versions = '(select * from ' ~ relation ~ ' where ' ~ dbt_kinds.quoted(options.valid_to_name) ~ ' is null)' %}
  {% set sql -%}
{{ dbt_kinds.opened_versions(options, writer, rows, sequence, 'open') }}
left anti join {{ open_versions }} as target on {{ writer.is_equal }}
union all
select 'close' as _action, {{ closed | join(', ') }}
from {{ open_versions }} as target left anti join {{ rows }} as source on {{ writer.is_equal }}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
