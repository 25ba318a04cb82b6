{#
  SQL that converts a value from one type to another, matching struct fields by name: Spark's own cast and insert match
  by position.
  The expression itself if no conversion is needed.
#}
{% macro conversion(expression, source, target) %}
  {% do return(dbt_kinds._parsed_conversion(expression, dbt_kinds.parse_type(source), dbt_kinds.parse_type(target),
    1)) %}
{% endmacro %}


{# `depth` numbers the variables of nested lambdas. #}
{% macro _parsed_conversion(expression, source, target, depth) %}
  {% if dbt_kinds.same_type(source, target) %}
    {% do return(expression) %}
  {% elif source.kind == 'struct' and target.kind == 'struct' %}
    {% do return(dbt_kinds._struct_conversion(expression, source, target, depth)) %}
  {% elif source.kind == 'array' and target.kind == 'array' %}
    {% set variable = 'e' ~ depth %}
    {% set element = dbt_kinds._parsed_conversion(variable, source.element, target.element, depth + 1) %}
    {% do return('transform(' ~ expression ~ ', ' ~ variable ~ ' -> ' ~ element ~ ')') %}
  {% elif source.kind == 'map' and target.kind == 'map' %}
    {% do return(dbt_kinds._map_conversion(expression, source, target, depth)) %}
  {% elif source.kind == 'atomic' and target.kind == 'atomic' and not dbt_kinds.fits_into(source, target) %}
    {% do return(dbt_kinds.cast_or_raise(expression, target.text,
      'a ' ~ source.text ~ ' cannot become ' ~ target.text ~ ', because of the value ')) %}
  {% endif %}
  {% do return('cast(' ~ expression ~ ' as ' ~ dbt_kinds.type_text(target, dbt_kinds.zoned_timestamp()) ~ ')') %}
{% endmacro %}


{# SQL: a value, cast to a type; one that does not fit into it raises an error of the words and the value. A plain cast
   would wrap a number around unless the session has ANSI on. Pure. #}
{% macro cast_or_raise(expression, data_type, words) %}
  {% set converted = 'try_cast(' ~ expression ~ ' as ' ~ dbt_kinds.sql_type(data_type) ~ ')' %}
  {% do return('if(' ~ expression ~ ' is not null and ' ~ converted ~ ' is null, raise_error(concat('
    ~ dbt_kinds.text_literal('dbt_kinds: ' ~ words) ~ ', ' ~ expression ~ ')), ' ~ converted ~ ')') %}
{% endmacro %}


{% macro _struct_conversion(expression, source, target, depth) %}
  {% set fields = [] %}
  {% for field in target.fields %}
    {% set match = dbt_kinds.find_column(source.fields, field.name) %}
    {% if match is none %}
      {% set value = 'cast(null as ' ~ dbt_kinds.type_text(field.type, dbt_kinds.zoned_timestamp()) ~ ')' %}
    {% else %}
      {% set value = dbt_kinds._parsed_conversion(expression ~ '.' ~ dbt_kinds.quoted(match.name), match.type,
        field.type, depth) %}
    {% endif %}
    {% do fields.append(dbt_kinds.text_literal(field.name) ~ ', ' ~ value) %}
  {% endfor %}
  {% do return('if(' ~ expression ~ ' is null, null, named_struct(' ~ fields | join(', ') ~ '))') %}
{% endmacro %}


{% macro _map_conversion(expression, source, target, depth) %}
  {% if dbt_kinds.same_type(source.key, target.key) %}
    {% set key, value = 'k' ~ depth, 'v' ~ depth %}
    {% set converted = dbt_kinds._parsed_conversion(value, source.value, target.value, depth + 1) %}
    {% do return('transform_values(' ~ expression ~ ', (' ~ key ~ ', ' ~ value ~ ') -> ' ~ converted ~ ')') %}
  {% endif %}
  {% set entry = 'e' ~ depth %}
  {% set key = dbt_kinds._parsed_conversion(entry ~ '.key', source.key, target.key, depth + 1) %}
  {% set value = dbt_kinds._parsed_conversion(entry ~ '.value', source.value, target.value, depth + 1) %}
  {% do return('map_from_entries(transform(map_entries(' ~ expression ~ '), ' ~ entry ~ ' -> struct(' ~ key ~ ', '
    ~ value ~ ')))') %}
{% endmacro %}
