{% test sequential_values(model, column_name=none, column=none, interval=1) %}
  {% set tested = dbt_kinds.tested_model('sequential_values') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
select value, previous_value
from (
  select {{ value }} as value, lag({{ value }}) over (order by {{ value }}) as previous_value
  from {{ model }}
)
where value <> previous_value + {{ dbt_kinds.required_value(tested, 'interval', interval, '1') }}
{% endtest %}
