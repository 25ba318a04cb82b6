{# The text of a parsed type, with quoted field names. `timestamp` is the word for one with a time zone. #}
{% macro type_text(type, timestamp='timestamp') %}
  {% if type.kind == 'array' %}
    {% do return('array<' ~ dbt_kinds.type_text(type.element, timestamp) ~ '>') %}
  {% elif type.kind == 'map' %}
    {% do return('map<' ~ dbt_kinds.type_text(type.key, timestamp) ~ ','
      ~ dbt_kinds.type_text(type.value, timestamp) ~ '>') %}
  {% elif type.kind == 'struct' %}
    {% set fields = [] %}
    {% for field in type.fields %}
      {% do fields.append(dbt_kinds.quoted(field.name) ~ ':' ~ dbt_kinds.type_text(field.type, timestamp)) %}
    {% endfor %}
    {% do return('struct<' ~ fields | join(',') ~ '>') %}
  {% endif %}
  {% set text = type.text if type.kind == 'atomic' else type.kind %}
  {% do return(timestamp if text == 'timestamp' else text) %}
{% endmacro %}


{# A type as SQL, from its text as Spark describes it. #}
{% macro sql_type(text) %}
  {% if '<' in text %}
    {% do return(dbt_kinds.type_text(dbt_kinds.parse_type(text), dbt_kinds.zoned_timestamp())) %}
  {% endif %}
  {% do return(dbt_kinds.zoned_timestamp() if text | lower == 'timestamp' else text) %}
{% endmacro %}


{# The type of instants in SQL: `timestamp` has no time zone where `spark.sql.timestampType` is TIMESTAMP_NTZ.
   Databricks has no such setting, and its manual no such word. #}
{% macro zoned_timestamp() %}
  {% do return('timestamp' if adapter.type() == 'databricks' else 'timestamp_ltz') %}
{% endmacro %}
