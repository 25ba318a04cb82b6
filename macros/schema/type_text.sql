{# The text of a parsed type for DDL, with quoted field names. #}
{% macro type_text(type) %}
  {% if type.kind == 'array' %}
    {% do return('array<' ~ dbt_kinds.type_text(type.element) ~ '>') %}
  {% elif type.kind == 'map' %}
    {% do return('map<' ~ dbt_kinds.type_text(type.key) ~ ',' ~ dbt_kinds.type_text(type.value) ~ '>') %}
  {% elif type.kind == 'struct' %}
    {% set fields = [] %}
    {% for field in type.fields %}
      {% do fields.append(dbt_kinds.quoted(field.name) ~ ':' ~ dbt_kinds.type_text(field.type)) %}
    {% endfor %}
    {% do return('struct<' ~ fields | join(',') ~ '>') %}
  {% endif %}
  {% do return(type.text if type.kind == 'atomic' else type.kind) %}
{% endmacro %}
