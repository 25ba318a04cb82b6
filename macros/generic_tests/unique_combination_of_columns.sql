{% test unique_combination_of_columns(model, columns=none) %}
  {% set tested = dbt_kinds.tested_model('unique_combination_of_columns') %}
  {{ dbt_kinds.repeated_values(model, dbt_kinds.tested_columns(tested, 'columns', columns, '[order_id, line]')) }}
{% endtest %}
