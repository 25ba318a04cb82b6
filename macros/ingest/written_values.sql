{#
  What a line has written for each column, as strings: Spark rounds numbers, and writes those in a string anew. So the
  line is read once more with a mark and quotes around its numbers.
#}

{# A text that no event contains. It has no digit and no `e`, which are looked for behind it. Pure. #}
{% macro number_mark(claim_id) %}
  {% do return('kinds_' ~ modules.re.sub('[0-9e]', '', local_md5(claim_id) ~ local_md5(claim_id ~ '.'))) %}
{% endmacro %}


{# SQL: a JSON text with its numbers as strings behind a mark. `\G` and the possessive loops skip whole strings, of any
   length. Pure. #}
{% macro with_marked_numbers(json, mark) %}
  {% set number = '\\G((?:[^"0-9-]++|"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+")*+)(-?[0-9][0-9.eE+-]*+)' %}
  {% do return('regexp_replace(' ~ json ~ ', ' ~ dbt_kinds.text_literal(number) ~ ', '
    ~ dbt_kinds.text_literal('$1"' ~ mark ~ '$2"') ~ ')') %}
{% endmacro %}


{# SQL: a string of a marked text as it was written; the numbers in an object or array lose their quotes again. Pure. #}
{% macro unmarked(text, mark) %}
  {% do return('regexp_replace(' ~ text ~ ', ' ~ dbt_kinds.text_literal('"?' ~ mark ~ '([0-9.eE+-]+)"?') ~ ", '$1')") %}
{% endmacro %}


{# SQL of a boolean: whether a JSON text has `\ud83d` or the like alone. It is half of a character, and Spark writes a
   question mark. Pure. #}
{% macro has_half_a_character(json) %}
  {% set whole = dbt_kinds.text_literal('\\\\\\\\|\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..') %}
  {% do return('regexp_replace(' ~ json ~ ', ' ~ whole ~ ", ' ') rlike "
    ~ dbt_kinds.text_literal('\\\\u[dD][89a-fA-F]')) %}
{% endmacro %}


{# A type with a string in place of each value. Pure. #}
{% macro text_type(type) %}
  {% if type.kind == 'array' %}
    {% do return('array<' ~ dbt_kinds.text_type(type.element) ~ '>') %}
  {% elif type.kind == 'map' %}
    {% do return('map<string,' ~ dbt_kinds.text_type(type.value) ~ '>') %}
  {% elif type.kind == 'struct' %}
    {% set fields = [] %}
    {% for field in type.fields %}
      {% do fields.append(dbt_kinds.quoted(field.name) ~ ': ' ~ dbt_kinds.text_type(field.type)) %}
    {% endfor %}
    {% do return('struct<' ~ fields | join(', ') ~ '>') %}
  {% endif %}
  {% do return('string') %}
{% endmacro %}


{# Whether a type is a string or contains one. Pure. #}
{% macro holds_text(type) %}
  {% set inner = {'array': [type.element], 'map': [type.value],
    'struct': type.fields | map(attribute='type') | list if type.kind == 'struct' else []}.get(type.kind, []) %}
  {% for part in inner if dbt_kinds.holds_text(part) %}
    {% do return(true) %}
  {% endfor %}
  {% do return(type.kind == 'atomic' and type.text == 'string') %}
{% endmacro %}


{# SQL: a value as Spark read it, `value`, with each of its strings as it was written, `text`. Pure. #}
{% macro with_written_texts(type, value, text, mark, depth=0) %}
  {% if not dbt_kinds.holds_text(type) %}
    {% do return(value) %}
  {% elif type.kind == 'struct' %}
    {% set fields = [] %}
    {% for field in type.fields %}
      {% set name = '.' ~ dbt_kinds.quoted(field.name) %}
      {% do fields.append(dbt_kinds.text_literal(field.name) ~ ', '
        ~ dbt_kinds.with_written_texts(field.type, value ~ name, text ~ name, mark, depth)) %}
    {% endfor %}
    {% do return('if(' ~ value ~ ' is null, null, named_struct(' ~ fields | join(', ') ~ '))') %}
  {% elif type.kind in ['array', 'map'] %}
    {% do return(dbt_kinds._with_written_parts(type, value, text, mark, depth)) %}
  {% endif %}
  {% do return(dbt_kinds.unmarked(text, mark)) %}
{% endmacro %}


{# A map is not made anew: Spark fails at a key that it has twice, before such a line is rejected. #}
{% macro _with_written_parts(type, value, text, mark, depth) %}
  {% set key, part, of_text = '_kinds_key_' ~ depth, '_kinds_value_' ~ depth, '_kinds_text_' ~ depth %}
  {% if type.kind == 'map' %}
    {% do return('transform_values(' ~ value ~ ', (' ~ key ~ ', ' ~ part ~ ') -> '
      ~ dbt_kinds.with_written_texts(type.value, part, 'element_at(' ~ text ~ ', ' ~ key ~ ')', mark, depth + 1)
      ~ ')') %}
  {% endif %}
  {% do return('zip_with(' ~ value ~ ', ' ~ text ~ ', (' ~ part ~ ', ' ~ of_text ~ ') -> '
    ~ dbt_kinds.with_written_texts(type.element, part, of_text, mark, depth + 1) ~ ')') %}
{% endmacro %}
