{# An SQL text with table aliases renamed where they qualify something; `renames` maps aliases to replacements. Pure. #}
{% macro replace_alias(text, renames) %}
  {% set written = {} %}
  {% for old, new in renames.items() %}
    {% do written.update({old | lower: new}) %}
  {% endfor %}
  {% set replaced = [] %}
  {% for token in dbt_kinds.lexed(text) %}
    {% set is_alias = token.name | lower in written and token.after == '.' and token.before != '.' %}
    {% do replaced.append(written[token.name | lower] if is_alias else token.text) %}
  {% endfor %}
  {% do return(replaced | join) %}
{% endmacro %}
