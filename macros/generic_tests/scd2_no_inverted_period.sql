{% test scd2_no_inverted_period(model, valid_from='valid_from', valid_to='valid_to') %}
  {% set tested = dbt_kinds.tested_model('scd2_no_inverted_period') %}
  {% set since, until = dbt_kinds.required_column(tested, 'valid_from', valid_from),
    dbt_kinds.required_column(tested, 'valid_to', valid_to) %}
  {{ dbt_kinds.failing_rows(model, since ~ ' is null or ' ~ since ~ ' >= ' ~ until) }}
{% endtest %}
