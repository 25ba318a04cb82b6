{#
  The changes that turn a table's columns into a query's, down to nested fields: `[{change, path, from, to}]`. A
  different order or case is not a change, nor is a type that fits into the table's.
#}
{% macro schema_changes(stored, written) %}
  {% set stored_by_name, written_by_name = dbt_kinds.columns_by_name(stored), dbt_kinds.columns_by_name(written) %}
  {% do return(dbt_kinds._type_changes(
    dbt_kinds.row_type(dbt_kinds._columns_unlike(stored, written_by_name)),
    dbt_kinds.row_type(dbt_kinds._columns_unlike(written, stored_by_name)), []
  )) %}
{% endmacro %}


{# The columns that the other side lacks or has with a type of another text. A text that Spark cut off says nothing. #}
{% macro _columns_unlike(columns, others) %}
  {% set unlike = [] %}
  {% for column in columns %}
    {% set other = others.get(column.name | lower) %}
    {% do unlike.append(column) if other is none or other.type != column.type or '...' in column.type %}
  {% endfor %}
  {% do return(unlike) %}
{% endmacro %}


{# Columns as one struct. Each text of a type is parsed once. #}
{% macro row_type(columns) %}
  {% set fields, parsed = [], {} %}
  {% for column in columns %}
    {% do parsed.update({column.type: dbt_kinds.parse_type(column.type)}) if column.type not in parsed %}
    {% do fields.append({'name': column.name, 'type': parsed[column.type]}) %}
  {% endfor %}
  {% do return({'kind': 'struct', 'fields': fields}) %}
{% endmacro %}


{% macro _type_changes(stored, written, path) %}
  {% if stored.kind == 'struct' and written.kind == 'struct' %}
    {% do return(dbt_kinds._field_changes(stored.fields, written.fields, path)) %}
  {% elif stored.kind == 'array' and written.kind == 'array' %}
    {% do return(dbt_kinds._type_changes(stored.element, written.element, path + ['element'])) %}
  {% endif %}
  {% set widened = none %}
  {% if stored.kind == 'map' and written.kind == 'map' %}
    {# no format can change the keys of a map in place #}
    {% if not dbt_kinds._type_changes(stored.key, written.key, path) %}
      {% do return(dbt_kinds._type_changes(stored.value, written.value, path + ['value'])) %}
    {% endif %}
  {% elif dbt_kinds.fits_into(written, stored) %}
    {% do return([]) %}
  {% else %}
    {% set widened = dbt_kinds.widened_type(stored, written) %}
  {% endif %}
  {% set change = 'alter' if widened is none else 'widen' %}
  {% do return([dbt_kinds._change(change, path, stored, written if widened is none else widened)]) %}
{% endmacro %}


{% macro _field_changes(stored, written, path) %}
  {% set changes, stored_by_name, written_by_name = [], dbt_kinds.columns_by_name(stored),
    dbt_kinds.columns_by_name(written) %}
  {% for field in stored %}
    {% set match = written_by_name.get(field.name | lower) %}
    {% if match is none %}
      {% do changes.append(dbt_kinds._change('drop', path + [field.name], field.type, none)) %}
    {% else %}
      {% do changes.extend(dbt_kinds._type_changes(field.type, match.type, path + [field.name])) %}
    {% endif %}
  {% endfor %}
  {% for field in written if field.name | lower not in stored_by_name %}
    {% do changes.append(dbt_kinds._change('add', path + [field.name], none, field.type)) %}
  {% endfor %}
  {% do return(changes) %}
{% endmacro %}


{% macro _change(change, path, from_type, to_type) %}
  {% set from_text = dbt_kinds.type_text(from_type) if from_type is not none else none %}
  {% set to_text = dbt_kinds.type_text(to_type) if to_type is not none else none %}
  {% do return({'change': change, 'path': path, 'from': from_text, 'to': to_text}) %}
{% endmacro %}
