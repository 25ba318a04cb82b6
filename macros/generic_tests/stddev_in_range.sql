{% test stddev_in_range(model, column_name=none, column=none, min_v=none, max_v=none, inclusive=true) %}
  {% set tested = dbt_kinds.tested_model('stddev_in_range') %}
  {% set aggregate = 'stddev_samp(' ~ dbt_kinds.tested_column(tested, column_name, column) ~ ')' %}
  {{ dbt_kinds.aggregate_outside_range(tested, model, 'standard_deviation', aggregate, min_v, max_v, inclusive) }}
{% endtest %}
