{% test unique_values(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('unique_values') %}
  {{ dbt_kinds.repeated_values(model, [dbt_kinds.tested_column(tested, column_name, column)]) }}
{% endtest %}
