{% test match_like_pattern_list(model, column_name=none, column=none, patterns=none) %}
  {% set tested = dbt_kinds.tested_model('match_like_pattern_list') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {{ dbt_kinds.failing_rows(model,
    'not (' ~ dbt_kinds.matches_any(tested, 'like', value, patterns, "['INV-%', '%-2024']") ~ ')') }}
{% endtest %}
