{# A table's columns after changes: additions come last, in the table or in their struct. #}
{% macro changed_schema(stored, changes) %}
  {% set row = namespace(type=dbt_kinds.row_type(stored)) %}
  {% for change in changes %}
    {% set row.type = dbt_kinds._changed_type(row.type, change, change.path) %}
  {% endfor %}
  {% set columns = [] %}
  {% for field in row.type.fields %}
    {% do columns.append({'name': field.name,
      'type': field.type.text if field.type.kind == 'atomic' else dbt_kinds.type_text(field.type)}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}


{# A type after a change; `path` is the rest of the change's path. #}
{% macro _changed_type(type, change, path) %}
  {% if not path %}
    {% do return(dbt_kinds.parse_type(change.to)) %}
  {% elif type.kind == 'struct' %}
    {% do return({'kind': 'struct', 'fields': dbt_kinds._changed_fields(type.fields, change, path)}) %}
  {% elif type.kind == 'array' %}
    {% do return({'kind': 'array', 'element': dbt_kinds._changed_type(type.element, change, path[1:])}) %}
  {% endif %}
  {% set part = path[0] %}
  {% do return({
    'kind': 'map',
    'key': dbt_kinds._changed_type(type.key, change, path[1:]) if part == 'key' else type.key,
    'value': dbt_kinds._changed_type(type.value, change, path[1:]) if part == 'value' else type.value,
  }) %}
{% endmacro %}


{% macro _changed_fields(fields, change, path) %}
  {% set changed = [] %}
  {% set is_here = path | length == 1 %}
  {% for field in fields %}
    {% if field.name | lower != path[0] | lower %}
      {% do changed.append(field) %}
    {% elif not (is_here and change.change == 'drop') %}
      {% do changed.append({'name': field.name, 'type': dbt_kinds._changed_type(field.type, change, path[1:])}) %}
    {% endif %}
  {% endfor %}
  {% if is_here and change.change == 'add' %}
    {% do changed.append({'name': path[0], 'type': dbt_kinds.parse_type(change.to)}) %}
  {% endif %}
  {% do return(changed) %}
{% endmacro %}
