{% test mean_in_range(model, column_name=none, column=none, min_v=none, max_v=none, inclusive=true) %}
  {% set tested = dbt_kinds.tested_model('mean_in_range') %}
  {% set aggregate = 'avg(' ~ dbt_kinds.tested_column(tested, column_name, column) ~ ')' %}
  {{ dbt_kinds.aggregate_outside_range(tested, model, 'mean', aggregate, min_v, max_v, inclusive) }}
{% endtest %}
