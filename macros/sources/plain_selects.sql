{#
  Where a column of a plain select comes from: `{relation, column, value}`, the table that its FROM names, that table's
  column, and an SQL expression that grows with the column, with `{}` in its place; else `{problem}`. A plain select
  makes each row of one row of one table; CTEs and subqueries in FROM that are plain selects are looked through. `ctes`
  are those of a query around it, as ctes_of returns them. Pure.
#}
{% macro traced_column(sql, column, ctes={}) %}
  {% set at = namespace(words=dbt_kinds._whole_words(dbt_kinds.lexed_words(sql)), ctes=ctes, column=column,
    value='{}') %}
  {% for level in range(50) %}
    {% set query = dbt_kinds._without_ctes(at.words, at.ctes) %}
    {% if query.problem is defined %}{% do return(query) %}{% endif %}
    {% set parts = dbt_kinds._parts_of_select(query.words) %}
    {% if parts.problem is defined %}{% do return(parts) %}{% endif %}
    {% set found = dbt_kinds._selected_column(parts, at.column) %}
    {% if found.problem is defined %}{% do return(found) %}{% endif %}
    {% set at.column = found.column %}
    {% set at.value = at.value | replace('{}', found.value) %}
    {% set inner = query.ctes.get(parts.table[0].name | lower) if parts.table | length == 1 else none %}
    {% if parts.table[0].text == '(' %}
      {% set at.words = dbt_kinds._whole_words(parts.table[1:-1]) %}
      {% set at.ctes = query.ctes %}
    {% elif inner is not none %}
      {% set at.words = inner.words %}
      {% set at.ctes = inner.ctes %}
    {% elif parts.table | map(attribute='name') | join | replace('.', '/') != parts.table | map(attribute='name') | join
        or '/' in parts.table[-1].name %}
      {% do return({'problem': 'which reads ' ~ parts.table | map(attribute='text') | join}) %}
    {% else %}
      {% do return({'relation': parts.table | map(attribute='name') | select | join('.') | lower, 'column': at.column,
        'value': at.value}) %}
    {% endif %}
  {% endfor %}
  {% do return({'problem': 'whose queries are nested too deeply'}) %}
{% endmacro %}


{# The CTEs of a query by name, each `{words, ctes}`, with those that it can name itself; empty if it has none. Pure. #}
{% macro ctes_of(sql) %}
  {% do return(dbt_kinds._without_ctes(dbt_kinds.lexed_words(sql), {}).get('ctes', {})) %}
{% endmacro %}


{# Without a semicolon at the end, and without parentheses around all of it. #}
{% macro _whole_words(words) %}
  {% set at = namespace(words=words) %}
  {% for _ in range(10) %}
    {% if at.words and at.words[-1].text == ';' %}
      {% set at.words = at.words[:-1] %}
    {% elif at.words and at.words[0].text == '(' and dbt_kinds._closing(at.words, 0) == at.words | length - 1 %}
      {% set at.words = at.words[1:-1] %}
    {% endif %}
  {% endfor %}
  {% do return(at.words) %}
{% endmacro %}


{# The position of the parenthesis that closes an opening one; the length if none does. #}
{% macro _closing(words, opening) %}
  {% set depth = namespace(now=0) %}
  {% for word in words[opening:] %}
    {% set depth.now = depth.now + (1 if word.text == '(' else -1 if word.text == ')' else 0) %}
    {% if depth.now == 0 %}
      {% do return(opening + loop.index0) %}
    {% endif %}
  {% endfor %}
  {% do return(words | length) %}
{% endmacro %}


{# `{words, ctes}`: the select after WITH, and all CTEs that it can name. #}
{% macro _without_ctes(words, outer) %}
  {% if not words or words[0].text | lower != 'with' %}
    {% do return({'words': words, 'ctes': outer}) %}
  {% endif %}
  {% set at, ctes = namespace(place=1), dict(outer) %}
  {% for _ in words %}
    {% set opening = at.place + 2 %}
    {% if opening >= words | length or not words[at.place].name or words[at.place + 1].text | lower != 'as'
        or words[opening].text != '(' %}
      {% break %}
    {% endif %}
    {% set closing = dbt_kinds._closing(words, opening) %}
    {% do ctes.update({words[at.place].name
      | lower: {'words': dbt_kinds._whole_words(words[opening + 1:closing]), 'ctes': dict(ctes)}}) %}
    {% set at.place = closing + 2 %}
    {% if closing + 1 >= words | length or words[closing + 1].text != ',' %}
      {% do return({'words': words[closing + 1:], 'ctes': ctes}) %}
    {% endif %}
  {% endfor %}
  {% do return({'problem': 'whose WITH cannot be read'}) %}
{% endmacro %}


{# `{items, table, names}`: the items of the select list, the table or the parentheses after FROM, and the names that
   may stand before a column. #}
{% macro _parts_of_select(words) %}
  {% if not words or words[0].text | lower != 'select' %}
    {% do return({'problem': 'which is not a select'}) %}
  {% elif words | length > 1 and words[1].text | lower == 'distinct' %}
    {% do return({'problem': 'which says DISTINCT'}) %}
  {% endif %}
  {% set items, item, opened, at = [], [], [], namespace(place=words | length) %}
  {% for word in words[1:] %}
    {% if not opened and word.text | lower == 'from' and word.before != '.' and word.before | lower != 'distinct' %}
      {% set at.place = loop.index + 1 %}
      {% break %}
    {% elif not opened and word.text == ',' %}
      {% do items.append(item | list) %}
      {% do item.clear() %}
    {% else %}
      {% do item.append(word) %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
  {% endfor %}
  {% set behind = words[at.place:] %}
  {% if not behind %}
    {% do return({'problem': 'which reads no table'}) %}
  {% endif %}
  {% set length = dbt_kinds._closing(behind, 0) + 1 if behind[0].text == '(' else dbt_kinds._length_of_name(behind) %}
  {% set table, rest = behind[:length], behind[length:] %}
  {% if rest and rest[0].text | lower == 'as' %}
    {% set alias, rest = rest[1:2], rest[2:] %}
  {% elif rest and rest[0].name and rest[0].text | lower not in ['where', 'order']
      and not dbt_kinds._is_clause(rest[0]) %}
    {% set alias, rest = rest[:1], rest[1:] %}
  {% else %}
    {% set alias = table[-1:] %}
  {% endif %}
  {% set problem = dbt_kinds._what_is_not_plain(words[1:at.place] + rest, rest) %}
  {% if problem is not none %}
    {% do return({'problem': problem}) %}
  {% endif %}
  {% do return({'items': items + [item], 'table': table,
    'names': alias | map(attribute='name') | map('lower') | list}) %}
{% endmacro %}


{% macro _length_of_name(words) %}
  {% for word in words %}
    {% if loop.index0 % 2 == 1 and word.text != '.' %}{% do return(loop.index0) %}{% endif %}
  {% endfor %}
  {% do return(words | length) %}
{% endmacro %}


{# What a select says besides its list, its table and WHERE or ORDER BY; none for a plain one. `rest` is what follows
   the table and its alias. #}
{% macro _what_is_not_plain(words, rest) %}
  {% set opened = [] %}
  {% for word in rest %}
    {% set is_first = loop.first and word.text | lower not in ['where', 'order'] %}
    {% if is_first or (not opened and (word.text == ','
        or (dbt_kinds._is_clause(word) and dbt_kinds._ends_operand(word.before)))) %}
      {% do return('which says ' ~ ('JOIN' if word.text == ',' else word.text | upper))
        if word.text != ',' or is_first %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
  {% endfor %}
  {% for word in words %}
    {% if word.text | lower == 'select' and word.before != '.' %}
      {% do return('which holds a subquery') %}
    {% elif word.text | lower == 'over' and word.before == ')' %}
      {% do return('which holds a window function') %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{% macro _is_clause(word) %}
  {% do return(word.kind == 'word' and word.text | lower in [
    'join', 'inner', 'cross', 'left', 'right', 'full', 'natural', 'semi', 'anti', 'lateral', 'group', 'having', 'limit',
    'offset', 'union', 'except', 'intersect', 'minus', 'qualify', 'window',
    'pivot', 'unpivot', 'tablesample', 'cluster', 'distribute', 'sort', 'version', 'timestamp', 'for',
  ]) %}
{% endmacro %}


{# A clause follows an operand, and a column of that name an operator. #}
{% macro _ends_operand(text) %}
  {% do return(modules.re.search('[\\w\'"`)\\]]$', text) is not none and text | lower not in [
    'where', 'and', 'or', 'not', 'between', 'like', 'rlike', 'ilike', 'regexp', 'in', 'is', 'from', 'distinct', 'case',
    'when', 'then', 'else', 'by', 'div', 'escape', 'any', 'all', 'some',
  ]) %}
{% endmacro %}


{# `{column, value}` of the item that a select list calls so, or of `*`. #}
{% macro _selected_column(parts, column) %}
  {% set stars, found = [], [] %}
  {% for item in parts['items'] if item %}
    {% set last = item[-1] %}
    {% if last.text == '*' and (item | length == 1 or (item[-2].text == '.' and item | length == 3)) %}
      {% do stars.append(item) %}
    {% elif last.name and last.name | lower == column | lower %}
      {% set has_alias = item | length > 1 and last.before != '.' %}
      {% do found.append(item if not has_alias else item[:-2] if last.before | lower == 'as' else item[:-1]) %}
    {% endif %}
  {% endfor %}
  {% if not found and stars %}
    {% do return({'column': column, 'value': '{}'}) %}
  {% elif found | length != 1 %}
    {% do return({'problem': 'whose select list does not name ' ~ column ~ ' once'}) %}
  {% endif %}
  {% set traced = dbt_kinds._growing(found[0], parts.names) %}
  {% do return(traced if traced is not none
    else {'problem': 'in which ' ~ column ~ ' is computed: ' ~ found[0] | map(attribute='text') | join(' ')}) %}
{% endmacro %}


{# `{column, value}` of an expression that never falls while its column grows: the column, its cast to a date or
   timestamp, its date_trunc; else none. #}
{% macro _growing(item, names) %}
  {% set at = namespace(words=dbt_kinds._whole_words(item), value='{}') %}
  {% for _ in range(10) %}
    {% set texts = at.words | map(attribute='text') | map('lower') | list %}
    {% set is_call = texts | length > 3 and texts[1] == '(' and dbt_kinds._closing(at.words, 1) == texts | length - 1 %}
    {% if texts | length == 1 and at.words[0].name %}
      {% do return({'column': at.words[0].name, 'value': at.value}) %}
    {% elif texts | length == 3 and texts[1] == '.' and at.words[0].name | lower in names and at.words[2].name %}
      {% do return({'column': at.words[2].name, 'value': at.value}) %}
    {% elif is_call and texts[0] in ['cast', 'try_cast'] and texts[-3] == 'as' and texts[-2] in ['date', 'timestamp'] %}
      {% set at.value = at.value | replace('{}', 'cast({} as ' ~ texts[-2] ~ ')') %}
      {% set at.words = at.words[2:-3] %}
    {% elif texts | length > 3 and texts[-3] == ':' and texts[-2] == ':' and texts[-1] in ['date', 'timestamp'] %}
      {% set at.value = at.value | replace('{}', 'cast({} as ' ~ texts[-1] ~ ')') %}
      {% set at.words = at.words[:-3] %}
    {% elif is_call and texts[0] in ['date', 'to_date', 'timestamp', 'to_timestamp'] %}
      {% set at.value = at.value | replace('{}', 'cast({} as ' ~ texts[0] | replace('to_', '') ~ ')') %}
      {% set at.words = at.words[2:-1] %}
    {% elif is_call and texts[0] == 'date_trunc' and texts[3] == ','
        and texts[2][1:-1] in ['year', 'quarter', 'month', 'week', 'day', 'hour'] %}
      {% set at.value = at.value | replace('{}', 'date_trunc(' ~ texts[2] ~ ', {})') %}
      {% set at.words = at.words[4:-1] %}
    {% else %}
      {% break %}
    {% endif %}
    {% set at.words = dbt_kinds._whole_words(at.words) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}
