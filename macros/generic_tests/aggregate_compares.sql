{% test aggregate_compares(model, aggregate=none, operator=none, value=none, null_passes=false) %}
  {% set tested = dbt_kinds.tested_model('aggregate_compares') %}
select aggregate_value
from (
  select {{ dbt_kinds.required_column(tested, 'aggregate', aggregate) }} as aggregate_value
  from {{ model }}
)
where {{ dbt_kinds.compares_wrongly(tested, 'aggregate_value', operator, value,
  dbt_kinds.true_or_false(tested, 'null_passes', null_passes)) }}
{% endtest %}
