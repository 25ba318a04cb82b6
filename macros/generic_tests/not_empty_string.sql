{% test not_empty_string(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('not_empty_string') %}
  {{ dbt_kinds.failing_rows(model, dbt_kinds.tested_column(tested, column_name, column) ~ " = ''") }}
{% endtest %}
