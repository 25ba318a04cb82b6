{# Refuses to write to rows that nobody recorded, where that would double them, or lose history. #}
{% macro check_nothing_unrecorded(work) %}
  {% if not work.is_done %}
    {% do dbt_kinds.check_no_unrecorded_rows(work) %}
    {% do dbt_kinds.check_no_unrecorded_history(work) %}
  {% endif %}
{% endmacro %}
