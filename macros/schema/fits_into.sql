{#
  Whether every value of a parsed type can be stored as another without loss. Fields are matched by name, in any order;
  those that only the target has become NULL.
#}
{% macro fits_into(source, target) %}
  {% if source.kind == 'atomic' and source.text == 'void' %}
    {% do return(true) %}
  {% elif source.kind != target.kind or source.kind == 'truncated' %}
    {% do return(false) %}
  {% elif source.kind == 'array' %}
    {% do return(dbt_kinds.fits_into(source.element, target.element)) %}
  {% elif source.kind == 'map' %}
    {% do return(dbt_kinds.fits_into(source.key, target.key) and dbt_kinds.fits_into(source.value, target.value)) %}
  {% elif source.kind == 'atomic' %}
    {% do return(dbt_kinds._atomic_fits_into(source.text, target.text)) %}
  {% endif %}
  {% for field in source.fields %}
    {% set match = dbt_kinds.find_column(target.fields, field.name) %}
    {% if match is none or not dbt_kinds.fits_into(field.type, match.type) %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}


{% macro _atomic_fits_into(source, target) %}
  {# a float holds integers of up to 24 bits exactly, a double of up to 53 #}
  {% set wider = {
    'tinyint': ['smallint', 'int', 'bigint', 'float', 'double'], 'smallint': ['int', 'bigint', 'float', 'double'],
    'int': ['bigint', 'double'],
    'float': ['double'],
  } %}
  {% if source == target or target in wider.get(source, []) %}
    {% do return(true) %}
  {% endif %}
  {% set digits, room = dbt_kinds.digits(source), dbt_kinds.digits(target) %}
  {% if digits is not none and target.startswith('decimal') %}
    {% do return(digits[0] <= room[0] and digits[1] <= room[1]) %}
  {% endif %}
  {% set length, longest = dbt_kinds.text_length(source), dbt_kinds.text_length(target) %}
  {# a char is padded to its length, so other strings would not be read back unchanged #}
  {% do return(length is not none and (target == 'string' or (target.startswith('varchar') and length <= longest))) %}
{% endmacro %}


{# How many digits a number type has before and after the point, or none for other types. #}
{% macro digits(text) %}
  {% set arguments = dbt_kinds.full_match('decimal\((\d+),(\d+)\)', text) %}
  {% if arguments %}
    {% do return([arguments.group(1) | int - arguments.group(2) | int, arguments.group(2) | int]) %}
  {% endif %}
  {% do return({'tinyint': [3, 0], 'smallint': [5, 0], 'int': [10, 0], 'bigint': [19, 0]}.get(text)) %}
{% endmacro %}


{# The length of a varchar or char, or none. #}
{% macro text_length(text) %}
  {% set arguments = dbt_kinds.full_match('(?:var)?char\((\d+)\)', text) %}
  {% do return(arguments.group(1) | int if arguments else none) %}
{% endmacro %}
