{# Refuses to write to a table with unrecorded rows if that would duplicate them or lose history. #}
{% macro check_nothing_unrecorded(run_context) %}
  {% if not run_context.has_nothing_to_do %}
    {% do dbt_kinds.check_no_unrecorded_rows(run_context) %}
    {% do dbt_kinds.check_no_unrecorded_history(run_context) %}
  {% endif %}
{% endmacro %}
