{#
  The tokens of an SQL text, as Spark's lexer cuts them, but for operators, which come character by character. Joined, they are the
  text again: what never closes is punctuation. Pure.
#}
{% macro sql_tokens(text) %}
  {# Spark's block comments nest, which a pattern can follow to a fixed depth only #}
  {% set comment = namespace(pattern='(?!)') %}
  {% for _ in range(4) %}
    {% set comment.pattern = '/[*](?:[^*/]|[*](?!/)|/(?![*])|' ~ comment.pattern ~ ')*[*]/' %}
  {% endfor %}
  {% set patterns = [
    "[rR]'[^']*'", '[rR]"[^"]*"',
    "'[^'\\\\]*(?:(?:\\\\.|'')[^'\\\\]*)*'", '"[^"\\\\]*(?:(?:\\\\.|"")[^"\\\\]*)*"',
    '`[^`]*(?:``[^`]*)*`',
    '--(?:\\\\\n|[^\r\n])*', comment.pattern,
    dbt_kinds._number_pattern(), '\\w+', '\\s+', '.',
  ] %}
  {% do return(modules.re.findall('(?s)' ~ patterns | join('|'), text)) %}
{% endmacro %}


{# Whatever else begins with a digit, such as 2024_sales, is a name. #}
{% macro _number_pattern() %}
  {% do return('(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?(?:[lLsSyYdDfF]|[bB][dD])?(?!\\w)') %}
{% endmacro %}


{#
  The tokens with what is known of each: `{text, kind, name, before, after}`. `kind` is space (a comment, too), string, quoted
  (in backticks), number, word or punctuation; `name` is what a word or quoted name names; `before` and `after` are the nearest texts
  that are no space, or ''.
#}
{% macro lexed(text) %}
  {% set lexed = [] %}
  {% set last = namespace(token={'text': ''}) %}
  {% for part in dbt_kinds.sql_tokens(text) %}
    {% set kind = dbt_kinds._token_kind(part) %}
    {% set name = part if kind == 'word' else part[1:-1] | replace('``', '`') if kind == 'quoted' else '' %}
    {% set token = {'text': part, 'kind': kind, 'name': name, 'before': last.token.text, 'after': ''} %}
    {% do lexed.append(token) %}
    {% if kind != 'space' %}
      {% do last.token.update({'after': part}) %}
      {% set last.token = token %}
    {% endif %}
  {% endfor %}
  {% do return(lexed) %}
{% endmacro %}


{% macro _token_kind(token) %}
  {% if token[:2] in ['--', '/*'] or token.isspace() %}
    {% do return('space') %}
  {% elif token | length > 1 and token[-1] in ['"', "'"] %}
    {% do return('string') %}
  {% elif token | length > 1 and token[0] == '`' %}
    {% do return('quoted') %}
  {% elif modules.re.match('[.]?[0-9]', token) and dbt_kinds.matches(dbt_kinds._number_pattern(), token) %}
    {% do return('number') %}
  {% endif %}
  {% do return('word' if modules.re.match('\\w+(?![\\s\\S])', token) else 'punctuation') %}
{% endmacro %}


{# The tokens that are neither whitespace nor comments. #}
{% macro lexed_words(text) %}
  {% do return(dbt_kinds.lexed(text) | rejectattr('kind', 'equalto', 'space') | list) %}
{% endmacro %}
