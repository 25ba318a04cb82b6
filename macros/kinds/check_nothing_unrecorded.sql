{# Refuses to write to a table with unrecorded rows if that would duplicate them or lose history. #}
{% macro check_nothing_unrecorded(run_context) %}
  {% if not run_context.is_done %}
    {% do dbt_kinds.check_no_unrecorded_rows(run_context) %}
    {% do dbt_kinds.check_no_unrecorded_history(run_context) %}
  {% endif %}
{% endmacro %}
