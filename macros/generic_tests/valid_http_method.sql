{% test valid_http_method(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('valid_http_method') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model,
    value ~ " not in ('CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE')") }}
{% endtest %}
