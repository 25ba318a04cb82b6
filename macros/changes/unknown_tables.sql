{#
  The tables that SQL names directly after FROM and JOIN and that dbt does not know, so that their version is unknown.
  CTEs and functions do not count. Pure.
#}
{% macro unknown_tables(sql, known) %}
  {% set words = dbt_kinds.lexed_words(sql) %}
  {% set ctes = [] %}
  {% for word in words if word.name
      and (word.after | lower == 'as' or (word.after == '(' and word.before | lower in ['with', ','])) %}
    {% do ctes.append(word.name | lower) %}
  {% endfor %}
  {% set found, at = [], namespace(name=none, wants_part=false) %}
  {% set calls = [] %}
  {% for word in words %}
    {% set text = word.text | lower %}
    {% if at.name is not none and (word.text == '.' or at.wants_part) %}
      {% set at.wants_part = word.text == '.' %}
      {% set at.name = at.name ~ (word.text if word.text == '.' else word.name | lower) %}
    {% else %}
      {% do found.append(at.name) if at.name is not none and word.text != '(' and at.name not in ctes + known + found %}
      {% set at.name = none %}
      {% if word.text == '(' %}
        {% do calls.append(word.before | lower) %}
      {% elif word.text == ')' and calls %}
        {% do calls.pop() %}
      {% elif word.name and word.before | lower in ['from', 'join'] and not dbt_kinds._is_part_of_call(calls)
          and text not in ['values', 'lateral', 'table'] %}
        {% set at.name = dbt_kinds._after_distinct(words, loop.index0) or word.name | lower %}
        {% set at.name = none if at.name == ' ' else at.name %}
      {% endif %}
    {% endif %}
  {% endfor %}
  {% do found.append(at.name) if at.name is not none and at.name not in ctes + known + found %}
  {% do return(found) %}
{% endmacro %}


{# `extract(year from a)`, `trim(both from a)`: FROM that reads no table. #}
{% macro _is_part_of_call(calls) %}
  {% do return(calls != [] and calls[-1] in ['extract', 'trim', 'substring', 'substr', 'overlay', 'date_part']) %}
{% endmacro %}


{# A blank for `a is distinct from b`. #}
{% macro _after_distinct(words, position) %}
  {% do return(' ' if position > 1 and words[position - 2].text | lower == 'distinct'
    and words[position - 1].text | lower == 'from' else none) %}
{% endmacro %}
