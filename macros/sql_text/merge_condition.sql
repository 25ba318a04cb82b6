{#
  The condition that restricts a merge, from the option merge_filter or dbt's incremental_predicates: every part in
  parentheses, joined by `and`; none if not set. Pure.
#}
{% macro merge_condition(model, written, option='merge_filter') %}
  {% if written is none or written == [] or (written is string and not written | trim) %}
    {% do return(none) %}
  {% endif %}
  {% set conditions = dbt_kinds.option_texts(model, option, written,
    "a condition such as target.loaded_at > current_date - 30") %}
  {% do return('(' ~ conditions | join(') and (') ~ ')') %}
{% endmacro %}
