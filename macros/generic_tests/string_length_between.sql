{% test string_length_between(model, column_name=none, column=none, min_v=none, max_v=none, inclusive=true) %}
  {% set tested = dbt_kinds.tested_model('string_length_between') %}
  {% set length = 'length(' ~ dbt_kinds.tested_column(tested, column_name, column) ~ ')' %}
  {{ dbt_kinds.failing_rows(model, dbt_kinds.outside_range(tested, length, min_v, max_v, inclusive)) }}
{% endtest %}
