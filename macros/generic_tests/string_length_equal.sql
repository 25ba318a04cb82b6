{% test string_length_equal(model, column_name=none, column=none, v=none) %}
  {% set tested = dbt_kinds.tested_model('string_length_equal') %}
  {% set length = 'length(' ~ dbt_kinds.tested_column(tested, column_name, column) ~ ')' %}
  {{ dbt_kinds.failing_rows(model, length ~ ' <> ' ~ dbt_kinds.required_value(tested, 'v', v, '22', least=0)) }}
{% endtest %}
