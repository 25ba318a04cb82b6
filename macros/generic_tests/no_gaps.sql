{% test no_gaps(model, column_name=none, column=none, step=1) %}
  {% set tested = dbt_kinds.tested_model('no_gaps') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
select value, previous_value
from (
  select {{ value }} as value, lag({{ value }}) over (order by {{ value }}) as previous_value
  from {{ model }}
  where {{ value }} is not null
)
where value - previous_value > {{ dbt_kinds.required_value(tested, 'step', step, '1', least=0) }}
{% endtest %}
