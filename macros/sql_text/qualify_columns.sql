{#
  An SQL expression with unqualified column names qualified by an alias: `a` becomes alias.`a`. Names that are not columns
  stay unchanged: functions, fields, types, keywords of literals, lambda parameters. Pure.
#}
{% macro qualify_columns(expression, alias, columns) %}
  {% set names = {} %}
  {% for column in columns %}
    {% do names.update({column | lower: column}) %}
  {% endfor %}
  {% set tokens = dbt_kinds.lexed(expression) %}
  {% do dbt_kinds._mark_columns(tokens | rejectattr('kind', 'equalto', 'space') | list, names, [alias | lower, 'source', 'target']) %}
  {% set qualified = [] %}
  {% for token in tokens %}
    {% do qualified.append(alias ~ '.' ~ dbt_kinds.quoted(names[token.name | lower]) if token.is_column else token.text) %}
  {% endfor %}
  {% do return(qualified | join) %}
{% endmacro %}


{#
  Sets `is_column` on every word. Two operands are never adjacent in SQL, so the word after an operand is a keyword, whatever the
  columns are: `day` in `interval 1 day`.
#}
{% macro _mark_columns(words, names, aliases) %}
  {% set lambdas = dbt_kinds._lambdas(words) %}
  {% set state = namespace(after_operand=false, type_depth=none) %}
  {% set calls, opened = [], [] %}
  {% for word in words %}
    {% set name = word.name | lower %}
    {% do calls.append(word.before | lower) if word.text == '(' %}
    {% do calls.pop() if word.text == ')' and calls %}
    {% if state.type_depth is not none and calls | length < state.type_depth %}
      {% set state.type_depth = none %}
    {% elif word.text | lower == 'as' and word.before != '.' and calls and calls[-1] in ['cast', 'try_cast'] %}
      {% set state.type_depth = calls | length %}
    {% endif %}

    {% set closes_case = opened[-1:] == ['case'] and dbt_kinds.closes_case(word) %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
    {% set is_parameter = dbt_kinds._is_parameter(lambdas, loop.index0, name) %}
    {% set is_column = name in names and state.type_depth is none and not state.after_operand and not is_parameter and not closes_case
      and not (word.after == '.' and name in aliases)
      and word.before | lower not in ['.', ':', 'as', 'to', 'collate'] and word.after != '('
      and (word.kind == 'quoted' or not dbt_kinds._is_keyword(words, loop.index0, calls)) %}
    {% do word.update({'is_column': is_column}) %}

    {% set state.after_operand = is_column or is_parameter or closes_case or word.kind in ['number', 'string', 'quoted']
      or word.text in [')', ']'] or (word.kind == 'word' and word.before == '.') %}
  {% endfor %}
{% endmacro %}


{# Whether an unquoted word at the beginning of an operand is syntax even if a column has that name. #}
{% macro _is_keyword(words, index, calls) %}
  {% set word = words[index] %}
  {% set name = word.name | lower %}
  {% set ahead = words[index + 1:index + 4] | map(attribute='text') | list %}
  {% if name in ['and', 'or', 'not', 'case', 'when', 'then', 'else', 'null', 'true', 'false', 'in', 'is', 'like', 'between', 'distinct', 'exists'] %}
    {% do return(true) %}
  {% elif index + 1 < words | length and words[index + 1].kind == 'string' %}
    {# date '2024-01-01', x'1F' #}
    {% do return(true) %}
  {% elif name == 'interval' and modules.re.match('(?:[+-] )?[.]?[0-9][^ ]* ' ~ dbt_kinds._time_unit_pattern(), ahead | join(' ') | lower) %}
    {% do return(true) %}
  {% elif ahead[:2] == ['=', '>'] %}
    {# an argument by name #}
    {% do return(true) %}
  {% elif word.before == '(' and calls[-1] == 'extract' %}
    {% do return(true) %}
  {% elif word.before == '(' and calls[-1] in ['timestampadd', 'timestampdiff', 'dateadd', 'datediff', 'date_add', 'date_diff'] %}
    {# with three arguments the first is a unit, with two it is a date #}
    {% do return(word.after == ',' and dbt_kinds._commas_ahead(words, index) == 2) %}
  {% endif %}
  {% do return(false) %}
{% endmacro %}


{% macro _time_unit_pattern() %}
  {% do return('(?:year|quarter|month|week|day|hour|minute|second|millisecond|microsecond|nanosecond)s?\\b') %}
{% endmacro %}


{# The number of commas between a word and the end of its parentheses. #}
{% macro _commas_ahead(words, index) %}
  {% set commas, opened = [], [] %}
  {% for word in words[index:] %}
    {% if not opened and word.text == ')' %}
      {% break %}
    {% elif not opened and word.text == ',' %}
      {% do commas.append(word) %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
  {% endfor %}
  {% do return(commas | length) %}
{% endmacro %}


{# The lambdas `x -> …` and `(x, y) -> …`, `{first, last, names}`: from the parameters to the end of the argument. #}
{% macro _lambdas(words) %}
  {% set lambdas = [] %}
  {% for arrow in range(1, words | length - 1) if words[arrow].text == '-' and words[arrow].after == '>' %}
    {% set first = dbt_kinds._opening(words, arrow - 1) if words[arrow - 1].text == ')' else arrow - 1 %}
    {% set names = words[first:arrow] | map(attribute='name') | select | map('lower') | list %}
    {% do lambdas.append({'first': first, 'last': dbt_kinds._end_of_argument(words, arrow), 'names': names}) %}
  {% endfor %}
  {% do return(lambdas) %}
{% endmacro %}


{# The opening parenthesis for a closing one; parameters contain no others. #}
{% macro _opening(words, closing) %}
  {% for index in range(closing, -1, -1) if words[index].text == '(' %}
    {% do return(index) %}
  {% endfor %}
  {% do return(0) %}
{% endmacro %}


{% macro _end_of_argument(words, first) %}
  {% set opened = [] %}
  {% for word in words[first:] %}
    {% if not opened and word.text in [',', ')', ']'] %}
      {% do return(first + loop.index0) %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, word) %}
  {% endfor %}
  {% do return(words | length) %}
{% endmacro %}


{% macro _is_parameter(lambdas, index, name) %}
  {% for scope in lambdas if scope.first <= index and index < scope.last and name in scope.names %}
    {% do return(true) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
