{#
  Spark's text of a type as a mapping. `describe` and typeof() do not quote the names of fields, and a name may hold a
  colon; so a name extends to the first colon after which a type can be parsed that is followed by a comma or the end.
#}
{% macro parse_type(text) %}
  {# a struct of more than 25 fields, in describe (spark.sql.debug.maxToStringFields) #}
  {% if modules.re.search('[<,]\.\.\. \d+ more fields>', text) %}
    {% do return({'kind': 'truncated'}) %}
  {% endif %}
  {% set whole = text | trim %}
  {% set found = dbt_kinds._type_at(whole, 0, {}) %}
  {% if found is none or found.end < whole | length %}
    {% do return({'kind': 'atomic', 'text': whole}) %}
  {% endif %}
  {% do return(found.read) %}
{% endmacro %}


{# The type that begins at a position, `{read, end}`, or none. Each position is parsed once: otherwise wrong colons
   would multiply with depth. #}
{% macro _type_at(text, position, seen) %}
  {% if position not in seen %}
    {% set nested = modules.re.match('(?i)(array|map|struct)\s*<\s*', text[position:]) %}
    {% set found = dbt_kinds._nested_type(text, nested.group(1) | lower, position + nested.group() | length, seen)
      if nested else dbt_kinds._atomic_type(text, position) %}
    {% do seen.update({position: found}) %}
  {% endif %}
  {% do return(seen[position]) %}
{% endmacro %}


{% macro _nested_type(text, kind, position, seen) %}
  {% set inner = namespace(parts=[], end=position) %}
  {% if kind == 'struct' and text[position:position + 1] == '>' %}
    {% do return({'read': {'kind': 'struct', 'fields': []}, 'end': position + 1}) %}
  {% endif %}
  {% for _ in text.split(',') %}
    {% set part = dbt_kinds._field_at(text, inner.end, seen) if kind == 'struct'
      else dbt_kinds._type_at(text, inner.end, seen) %}
    {% set separator = modules.re.match('\s*([,>])', text[part.end:]) if part is not none else none %}
    {% if not separator %}
      {% do return(none) %}
    {% endif %}
    {% do inner.parts.append(part.read) %}
    {% set inner.end = part.end + separator.group() | length %}
    {% if separator.group(1) == '>' %}
      {% do return(dbt_kinds._nested_of(kind, inner.parts, inner.end)) %}
    {% endif %}
    {% set inner.end = inner.end + modules.re.match('\s*', text[inner.end:]).group() | length %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{% macro _nested_of(kind, parts, end) %}
  {% if kind == 'struct' %}
    {% do return({'read': {'kind': 'struct', 'fields': parts}, 'end': end}) %}
  {% elif kind == 'array' and parts | length == 1 %}
    {% do return({'read': {'kind': 'array', 'element': parts[0]}, 'end': end}) %}
  {% elif kind == 'map' and parts | length == 2 %}
    {% do return({'read': {'kind': 'map', 'key': parts[0], 'value': parts[1]}, 'end': end}) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The struct field that begins at a position, or none. #}
{% macro _field_at(text, position, seen) %}
  {% set quoted = modules.re.match('`((?:[^`]|``)+)`\s*(?=:)', text[position:]) %}
  {% set follows = "(?is)(?:\s+not\s+null\\b)?(?:\s+comment\s+'(?:[^'\\\\]|\\\\.|'')*')?(?=\s*[,>])" %}
  {% set place = namespace(searched=position + (quoted.group() | length if quoted else 0)) %}
  {% for _ in range(text[place.searched:].count(':')) %}
    {% set colon = place.searched + text[place.searched:].partition(':')[0] | length %}
    {% set place.searched = colon + 1 %}
    {% set found = dbt_kinds._type_at(text, colon + modules.re.match(':\s*', text[colon:]).group() | length, seen) %}
    {% set rest = modules.re.match(follows, text[found.end:]) if found is not none else none %}
    {% if rest %}
      {% set name = quoted.group(1) | replace('``', '`') if quoted else text[position:colon] %}
      {% do return({'read': {'name': name, 'type': found.read}, 'end': found.end + rest.group() | length}) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{% macro _atomic_type(text, position) %}
  {% set names = [
    'boolean', 'tinyint', 'byte', 'smallint', 'short', 'int', 'integer', 'bigint', 'long', 'float', 'real', 'double',
    'decimal', 'dec', 'numeric',
    'string', 'varchar', 'char', 'character', 'binary', 'date', 'time', 'timestamp', 'timestamp_ltz', 'timestamp_ntz',
    'interval', 'void', 'variant',
  ] %}
  {% set pattern = '(?i)(' ~ names | join('|')
    ~ ')\\b(\s*\([\d\s,]+\))?((?:\s+(?:year|month|day|hour|minute|second|to|collate\s+\w+)\\b)*)' %}
  {% set found = modules.re.match(pattern, text[position:]) %}
  {% if not found %}
    {% do return(none) %}
  {% endif %}
  {% set name, words = found.group(1) | lower, found.group(3) | lower %}
  {% set name = {
    'byte': 'tinyint', 'short': 'smallint', 'integer': 'int', 'long': 'bigint', 'real': 'float', 'dec': 'decimal',
    'numeric': 'decimal',
    'character': 'char', 'timestamp_ltz': 'timestamp',
  }.get(name, name) %}
  {% set arguments = modules.re.findall('\d+', found.group(2) or '') %}
  {% if name == 'decimal' %}
    {% set arguments = (arguments + ['10', '0'][arguments | length:])[:2] %}
  {% endif %}
  {% set type_text = ([name ~ ('(' ~ arguments | join(',') ~ ')' if arguments else '')] + words.split()) | join(' ') %}
  {% do return({'read': {'kind': 'atomic', 'text': type_text}, 'end': position + found.group() | length}) %}
{% endmacro %}
