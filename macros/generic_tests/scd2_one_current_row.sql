{% test scd2_one_current_row(model, unique_key=none, valid_to='valid_to') %}
  {% set tested = dbt_kinds.tested_model('scd2_one_current_row') %}
  {% set keys = dbt_kinds.tested_columns(tested, 'unique_key', unique_key, '[customer_id]') %}
  {% set open_rows = '(select * from ' ~ model ~ ' where ' ~ dbt_kinds.required_column(tested, 'valid_to', valid_to)
    ~ ' is null)' %}
  {{ dbt_kinds.repeated_values(open_rows, keys) }}
{% endtest %}
