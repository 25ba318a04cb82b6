{#
  The query with its bounds replaced by probes, for Spark's analyzer to tell what each is compared with:
  `{sql, bounds}`. A bound that stands next to a comparison becomes a value without a type, which Spark casts to the
  type of the other side; any other becomes an instant of a year that nobody writes. A bound is
  `{number, name, operator, operand, is_compared}`: `operator` reads from the column's side, `operand` is the column's
  name, if it is one. Pure.
#}
{% macro probed_query(sql) %}
  {% set sentinel = dbt_kinds.sentinel_pattern() %}
  {% set texts, pieces = modules.re.findall(sentinel, sql), modules.re.split(sentinel, sql) %}
  {% set bounds, written = [], [] %}
  {% for text in texts %}
    {% set bound = dict(dbt_kinds._comparison(pieces[loop.index0], pieces[loop.index], bounds[-1] if bounds else {}),
      number=loop.index0, name=text[8:].split('*/')[0]) %}
    {% do bounds.append(bound) %}
    {% do written.append(pieces[loop.index0] ~ '/*' ~ bound.name.split(' ')[0] ~ '*/ '
      ~ (dbt_kinds.probe_of(bound) if bound.is_compared else dbt_kinds._marked_literal(bound))) %}
  {% endfor %}
  {% do return({'sql': written | join ~ pieces[-1], 'bounds': bounds}) %}
{% endmacro %}


{# A value without a type, with the number of its bound. #}
{% macro probe_of(bound) %}
  {% do return('nullif(null, ' ~ (7000 + bound.number) ~ ')') %}
{% endmacro %}


{# How a bound between two pieces of SQL is compared; `last` is the bound before it. #}
{% macro _comparison(before, after, last) %}
  {% set comparison, name = '(?:<=>|>=|<=|<>|!=|==|=|<|>)', '(?:\\w+|`(?:[^`]|``)+`)' %}
  {% set tail = before[[before | length - 300, 0] | max:] %}
  {% if modules.re.search('(?i)(?:[=<>]|\\b(?:between|and))\\s*[(]\\s*(?![\\s\\S])', tail)
      and modules.re.match('\\s*[)]', after) %}
    {# in parentheses of its own #}
    {% do return(dbt_kinds._comparison(modules.re.sub('^\\s*[)]|[(]\\s*(?![\\s\\S])', '', tail),
      modules.re.sub('^\\s*[)]', '', after), last)) %}
  {% endif %}
  {% set is_counted_with = modules.re.match('\\s*(?:[+*%|\\[]|::|-(?!-)|/(?![*]))', after) is not none %}
  {% if is_counted_with %}
    {% do return({'operator': none, 'operand': none, 'is_compared': false}) %}
  {% elif last.get('operator') == 'between' and before | trim | lower == 'and' %}
    {% do return({'operator': 'between', 'operand': last.operand, 'is_compared': true}) %}
  {% endif %}
  {% set found = modules.re.search('(?i)(?:(' ~ name ~ ')\\s*)?(' ~ comparison
    ~ '|\\b(?:not\\s+)?between)\\s*(?![\\s\\S])', tail) %}
  {% if found is not none %}
    {% set operator = found.group(2) | lower %}
    {% do return({'operator': 'between' if operator.endswith('between') else operator,
      'operand': dbt_kinds.unquoted(found.group(1)) if found.group(1) else none, 'is_compared': true}) %}
  {% endif %}
  {% set found = modules.re.match('\\s*(' ~ comparison ~ ')\\s*(?:' ~ name ~ '\\s*[.]\\s*)*(' ~ name ~ ')?', after) %}
  {% if found is not none and modules.re.search('[-+*/%|]\\s*(?![\\s\\S])', tail) is none %}
    {% set operator = {'<': '>', '>': '<', '<=': '>=', '>=': '<='}.get(found.group(1), found.group(1)) %}
    {% do return({'operator': operator, 'operand': dbt_kinds.unquoted(found.group(2)) if found.group(2) else none,
      'is_compared': true}) %}
  {% endif %}
  {% do return({'operator': none, 'operand': none, 'is_compared': false}) %}
{% endmacro %}


{# The literal of a bound that is counted with or passed on, in 1903 if it is an instant, in 1904 if Spark would read it
   in the session's time zone. #}
{% macro _marked_literal(bound) %}
  {% set suffix = bound.name.split('_')[-1] %}
  {% do return(dbt_kinds.time_literal(suffix,
    ('1903' if suffix == 'dt' else '1904' if suffix in ['date', 'ds', 'ts', 'dtntz'] else '1905')
      ~ '-05-06T00:00:00')) %}
{% endmacro %}
