{# Refuses to write to a table with unrecorded rows if that would duplicate them or lose history. #}
{% macro check_nothing_unrecorded(work) %}
  {% if not work.is_done %}
    {% do dbt_kinds.check_no_unrecorded_rows(work) %}
    {% do dbt_kinds.check_no_unrecorded_history(work) %}
  {% endif %}
{% endmacro %}
