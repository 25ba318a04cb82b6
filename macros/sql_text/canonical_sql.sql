{#
  SQL without its comments, and with one blank for any white space outside quotes: equal for texts that mean the same to a reader. Time variables, which
  are comments, are kept. Pure.
#}
{% macro canonical_sql(text) %}
  {% set parts, last = [], namespace(is_blank=true) %}
  {% for token in dbt_kinds.sql_tokens(modules.re.sub('/[*](kinds:[^*]*)[*]/', ' \\1 ', text)) %}
    {% set is_blank = token.isspace() or token[:2] in ['--', '/*'] %}
    {% do parts.append(' ' if is_blank else token) if not (is_blank and last.is_blank) %}
    {% set last.is_blank = is_blank %}
  {% endfor %}
  {% do return(parts | join | trim) %}
{% endmacro %}
