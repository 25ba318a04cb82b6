{#
  The tokens of an SQL text, as in Spark's lexer except that operators are split into characters. Joined, they give the
  text again:
  an opening that never closes is punctuation. Pure.
#}
{% macro sql_tokens(text) %}
  {# Spark's block comments nest, which a pattern can only match to a fixed depth #}
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


{# Anything else that begins with a digit, such as 2024_sales, is a name. #}
{% macro _number_pattern() %}
  {% do return('(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?(?:[lLsSyYdDfF]|[bB][dD])?(?!\\w)') %}
{% endmacro %}


{#
  The tokens with details: `{text, kind, name, before, after}`. `kind` is space (including comments), string, quoted
  (in backticks), number, word or punctuation; `name` is the name in a word or quoted token; `before` and `after` are
  the nearest non-space tokens, or ''.
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


{# The tokens without whitespace and comments. #}
{% macro lexed_words(text) %}
  {% do return(dbt_kinds.lexed(text) | rejectattr('kind', 'equalto', 'space') | list) %}
{% endmacro %}
