{% test valid_url(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('valid_url') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model,
    value ~ ' not rlike ' ~ dbt_kinds.text_literal('^(?:https?|ftp)://[^\\s/$.?#].\\S*$')) }}
{% endtest %}
