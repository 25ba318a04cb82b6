{#
  The trimmed parts of an SQL text between separators outside parentheses, brackets, strings, comments and `case
  … end`; at most `most` cuts. A separator is one token, a character or a lower-case keyword; default a comma. Pure.
#}
{% macro split_top_level(text, separator=none, most=none) %}
  {% set separator = separator or ',' %}
  {% set parts, part, opened = [], [], [] %}
  {% for token in dbt_kinds.lexed(text) %}
    {% if token.text | lower == separator and token.before != '.' and not opened
        and (most is none or parts | length < most) %}
      {% do parts.append(part | join | trim) %}
      {% do part.clear() %}
    {% else %}
      {% do part.append(token.text) %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, token) %}
  {% endfor %}
  {% do return(parts + [part | join | trim]) %}
{% endmacro %}


{# Updates the stack of open brackets and `case`s by one token. #}
{% macro follow_nesting(opened, token) %}
  {% if token.text in ['(', '['] or dbt_kinds._opens_case(token) %}
    {% do opened.append(token.text | lower) %}
  {% elif token.text in [')', ']'] %}
    {# an unclosed case ends with its parenthesis #}
    {% for opener in opened | reverse | list %}
      {% do opened.pop() %}
      {% if opener != 'case' %}{% break %}{% endif %}
    {% endfor %}
  {% elif opened and opened[-1] == 'case' and dbt_kinds.closes_case(token) %}
    {% do opened.pop() %}
  {% endif %}
{% endmacro %}


{# `case` and `end` may also be column names: as keywords, `case` is followed by an operand and `end` preceded by
   one. #}
{% macro _opens_case(token) %}
  {% do return(token.text | lower == 'case' and token.before != '.'
    and modules.re.match('[\\w\'"`(+~-]', token.after) is not none) %}
{% endmacro %}


{% macro closes_case(token) %}
  {% do return(token.text | lower == 'end' and modules.re.search('[\\w\'"`)\\]]$', token.before) is not none
    and token.before | lower not in ['case', 'when', 'then', 'else', 'and', 'or', 'not', 'between', 'like', 'from']) %}
{% endmacro %}


{# The text after its first non-space tokens, as many as `words` says. #}
{% macro text_behind(text, words) %}
  {% set left = namespace(words=words) %}
  {% set behind = [] %}
  {% for token in dbt_kinds.lexed(text) %}
    {% if left.words == 0 %}
      {% do behind.append(token.text) %}
    {% elif token.kind != 'space' %}
      {% set left.words = left.words - 1 %}
    {% endif %}
  {% endfor %}
  {% do return(behind | join | trim) %}
{% endmacro %}


{# The text without the parentheses that enclose all of it, if any. #}
{% macro without_parentheses(text) %}
  {% set words = dbt_kinds.lexed_words(text) %}
  {% set opened = [] %}
  {% for word in words %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
    {% if not opened and not loop.last %}
      {% do return(text) %}
    {% endif %}
  {% endfor %}
  {% if words | length < 2 or words[0].text != '(' or words[-1].text != ')' or opened %}
    {% do return(text) %}
  {% endif %}
  {% do return((text | trim)[1:-1] | trim) %}
{% endmacro %}
