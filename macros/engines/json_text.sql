{#
  A value as JSON, byte for byte what json.dumps writes: keys in their order and ASCII only. For values that are hashed,
  compared or stored, because the tojson of dbt 2.0 sorts keys and does not escape other characters. Pure.
#}
{% macro json_text(value) %}
  {% if value is none %}
    {% do return('null') %}
  {% elif value is string %}
    {% do return(dbt_kinds._json_string(value)) %}
  {% elif value is boolean %}
    {% do return('true' if value else 'false') %}
  {% elif value is number %}
    {% do return(value | string) %}
  {% endif %}
  {% set parts = [] %}
  {% if value is mapping %}
    {% for key, inner in value.items() %}
      {% do parts.append(dbt_kinds._json_string(key | string) ~ ': ' ~ dbt_kinds.json_text(inner)) %}
    {% endfor %}
    {% do return('{' ~ parts | join(', ') ~ '}') %}
  {% endif %}
  {% for inner in value %}
    {% do parts.append('null' if inner is none else dbt_kinds._json_string(inner) if inner is string
      else dbt_kinds.json_text(inner)) %}
  {% endfor %}
  {% do return('[' ~ parts | join(', ') ~ ']') %}
{% endmacro %}


{% macro _json_string(text) %}
  {% if not modules.re.search('[^ !#-\\[\\]-~]', text) %}
    {% do return('"' ~ text ~ '"') %}
  {% endif %}
  {% set named = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f'} %}
  {% set letters = [] %}
  {% for letter in text %}
    {% if letter in named %}
      {% do letters.append(named[letter]) %}
    {% else %}
      {% do letters.append(dbt_kinds._escaped(letter) if modules.re.search('[^ -~]', letter) else letter) %}
    {% endif %}
  {% endfor %}
  {% do return('"' ~ letters | join ~ '"') %}
{% endmacro %}


{# `\u00e9`. The UTF-8 bytes of a character come from urlencode; one beyond 65,535 is written as two escapes. #}
{% macro _escaped(letter) %}
  {% set bytes = [] %}
  {% for code in (letter | urlencode).split('%')[1:] %}
    {% do bytes.append('0123456789ABCDEF'.partition(code[0])[0] | length * 16
      + '0123456789ABCDEF'.partition(code[1])[0] | length) %}
  {% endfor %}
  {% set number = namespace(value=bytes[0] - [0, 0, 192, 224, 240][bytes | length if bytes | length > 1 else 0]) %}
  {% for byte in bytes[1:] %}
    {% set number.value = number.value * 64 + byte - 128 %}
  {% endfor %}
  {% if number.value > 65535 %}
    {% set units = [55296 + (number.value - 65536) // 1024, 56320 + (number.value - 65536) % 1024] %}
  {% else %}
    {% set units = [number.value] %}
  {% endif %}
  {% set digits = '0123456789abcdef' %}
  {% set written = [] %}
  {% for unit in units %}
    {% do written.append('\\u' ~ digits[unit // 4096] ~ digits[unit // 256 % 16] ~ digits[unit // 16 % 16]
      ~ digits[unit % 16]) %}
  {% endfor %}
  {% do return(written | join) %}
{% endmacro %}
