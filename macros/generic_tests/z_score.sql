{% test z_score(model, column_name=none, column=none, threshold=none) %}
  {% set tested = dbt_kinds.tested_model('z_score') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
select value, z_score
from (
  select value, (value - mean) / nullif(standard_deviation, 0) as z_score
  from (select {{ value }} as value from {{ model }})
  cross join (
    select avg({{ value }}) as mean, stddev_samp({{ value }}) as standard_deviation
    from {{ model }}
  )
)
where abs(z_score) > {{ dbt_kinds.required_value(tested, 'threshold', threshold, '3', least=0) }}
{% endtest %}
