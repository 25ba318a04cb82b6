{#
  SQL without comments, with white space outside quotes collapsed to one space: equal for queries that differ only in
  layout. Time variables, which are comments, are kept. Pure.
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
