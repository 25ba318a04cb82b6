{# SQL of a boolean: whether an object of a JSON text, read as a type, has a key twice: Spark would take the last one.
   None if the type has no object. Pure. #}
{% macro repeats_keys(type, json, depth=0) %}
  {% set found = [] %}
  {% if type.kind in ['struct', 'map'] %}
    {% do found.append('size(json_object_keys(' ~ json ~ ')) > size(array_distinct(json_object_keys(' ~ json ~ ')))') %}
  {% endif %}
  {% if type.kind == 'struct' %}
    {% for field in type.fields %}
      {% do found.append(dbt_kinds.repeats_keys(field.type, dbt_kinds.json_field(json, field.name), depth)) %}
    {% endfor %}
  {% elif type.kind in ['array', 'map'] %}
    {% set each = '_kinds_json_' ~ depth %}
    {% set of_each = dbt_kinds.repeats_keys(type.element if type.kind == 'array' else type.value, each, depth + 1) %}
    {% set parts = 'from_json(' ~ json ~ ", 'array<string>')" if type.kind == 'array'
      else 'map_values(from_json(' ~ json ~ ", 'map<string,string>'))" %}
    {% do found.append('exists(' ~ parts ~ ', ' ~ each ~ ' -> ' ~ of_each ~ ')' if of_each is not none else none) %}
  {% endif %}
  {% set found = found | select | list %}
  {% do return('coalesce(' ~ found | join(' or ') ~ ', false)' if found else none) %}
{% endmacro %}


{# SQL: the field of an object in a JSON text, as JSON. Pure. #}
{% macro json_field(json, name) %}
  {% do return('get_json_object(' ~ json ~ ', ' ~ dbt_kinds.text_literal("$['" ~ name ~ "']") ~ ')') %}
{% endmacro %}
