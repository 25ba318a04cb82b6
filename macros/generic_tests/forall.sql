{% test forall(model, criteria=none) %}
  {% set tested = dbt_kinds.tested_model('forall') %}
  {% set conditions = [] %}
  {% for criterion in dbt_kinds.tested_columns(tested, 'criteria', criteria, '[amount > 0, paid_at >= ordered_at]') %}
    {% do conditions.append('not ' ~ criterion) %}
  {% endfor %}
  {{ dbt_kinds.failing_rows(model, conditions | join(' or ')) }}
{% endtest %}
