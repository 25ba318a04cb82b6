{% test at_least_one(model, column_name=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('at_least_one') %}
select row_count
from (
  select count(*) as row_count, count({{ dbt_kinds.tested_column(tested, column_name, column) }}) as not_null_count
  from {{ model }}
)
where row_count > 0 and not_null_count = 0
{% endtest %}
