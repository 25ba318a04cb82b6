{% test not_constant(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('not_constant') %}
select distinct_values
from (
  select count(distinct {{ dbt_kinds.tested_column(tested, column_name, column) }}) as distinct_values
  from {{ model }}
)
where distinct_values <= 1
{% endtest %}
