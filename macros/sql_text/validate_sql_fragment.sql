{#
  Refuses SQL of an option that would change the statement around it: a quote, comment or parenthesis that never closes,
  a closing one without its opening, a semicolon, a line comment at the end. Returns the text. Pure.
#}
{% macro validate_sql_fragment(model, option, text, may_have_semicolons=false) %}
  {% set problem = dbt_kinds.unclosed_part(text, may_have_semicolons) %}
  {% if problem is not none %}
    {% do dbt_kinds.fail(model, option ~ " '" ~ text ~ "' " ~ problem) %}
  {% endif %}
  {% do return(text) %}
{% endmacro %}


{# A description of what is wrong with it; none if nothing is. Pure. #}
{% macro unclosed_part(text, may_have_semicolons=false) %}
  {% set closers, opened, last = {'(': ')', '[': ']'}, [], namespace(text='') %}
  {% for token in dbt_kinds.sql_tokens(text) %}
    {% if token in ["'", '"'] %}
      {% do return('has a ' ~ ('single' if token == "'" else 'double') ~ ' quote that never closes; close it, write \\'
        ~ token
        ~ ' for one within a text, or put a name that holds one into backticks') %}
    {% elif token == '`' %}
      {% do return('has a backtick that never closes; close it, or write two for one within a name') %}
    {% elif last.text == '/' and token == '*' %}
      {% do return('has a comment that never closes; write */ at its end') %}
    {% elif last.text == '*' and token == '/' %}
      {% do return('has a */ without a comment that it closes; remove it') %}
    {% elif token == ';' and not may_have_semicolons %}
      {% do return('has a semicolon, and it is a part of one statement; remove it') %}
    {% elif token in closers %}
      {% do opened.append(token) %}
    {% elif token in closers.values() and (not opened or closers[opened.pop()] != token) %}
      {% do return('has a ' ~ token ~ ' without the ' ~ ('(' if token == ')' else '[')
        ~ ' that it closes; remove it, or open it') %}
    {% endif %}
    {% set last.text = token %}
  {% endfor %}
  {% if opened %}
    {% do return('has a ' ~ opened[-1] ~ ' that never closes; write the ' ~ closers[opened[-1]] ~ ' for it') %}
  {% elif last.text.startswith('--') %}
    {% do return('ends with a comment of two dashes, which would hide what is written behind it; remove it, or write /* … */') %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}
