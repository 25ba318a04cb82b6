{% test chi_square(model, column_name=none, column_a=none, column_b=none, critical_value=none, dependent=true,
  column=none, target_column=none) %}
  {% set tested = dbt_kinds.tested_model('chi_square') %}
  {% set first = dbt_kinds.either_argument(tested, 'column_a', column_a, 'column', column) %}
  {% set second = dbt_kinds.either_argument(tested, 'column_b', column_b, 'target_column', target_column) %}
  {% set value_a = dbt_kinds.tested_column(tested, column_name, first, 'column_a') %}
  {% set value_b = dbt_kinds.required_column(tested, 'column_b', second) %}
  {% set comparison = '<=' if dbt_kinds.true_or_false(tested, 'dependent', dependent) else '>' %}
with observations as (
  select {{ value_a }} as value_a, {{ value_b }} as value_b, count(*) as observed
  from {{ model }}
  where {{ value_a }} is not null and {{ value_b }} is not null
  group by {{ value_a }}, {{ value_b }}
),
expectations as (
  select
    *,
    cast(sum(observed) over (partition by value_a) as double)
      * sum(observed) over (partition by value_b) / sum(observed) over () as expected
  from observations
)
select degrees_of_freedom, chi_square
from (
  select
    (count(distinct value_a) - 1) * (count(distinct value_b) - 1) as degrees_of_freedom,
    sum(power(observed - expected, 2) / expected) as chi_square
  from expectations
)
where chi_square {{ comparison }} {{ dbt_kinds.required_value(tested, 'critical_value', critical_value, '3.84146',
  least=0) }}
{% endtest %}
