{% test valid_email(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('valid_email') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model, value ~ " not rlike '^[a-zA-Z0-9_.+-]+@[a-zA-Z0-9-]+[.][a-zA-Z0-9.-]+$'") }}
{% endtest %}
