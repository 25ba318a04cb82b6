{% test match_regex_pattern_list(model, column_name=none, column=none, patterns=none) %}
  {% set tested = dbt_kinds.tested_model('match_regex_pattern_list') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model,
    'not (' ~ dbt_kinds.matches_any(tested, 'rlike', value, patterns, "['^INV-', '[0-9]{6}$']") ~ ')') }}
{% endtest %}
