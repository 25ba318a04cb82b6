{% test valid_uuid(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('valid_uuid') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model,
    'lower(' ~ value ~ ") not rlike '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'") }}
{% endtest %}
