{% test not_null_proportion(model, column_name=none, column=none, threshold=none) %}
  {% set tested = dbt_kinds.tested_model('not_null_proportion') %}
select row_count, not_null_count
from (
  select count(*) as row_count, count({{ dbt_kinds.tested_column(tested, column_name, column) }}) as not_null_count
  from {{ model }}
)
where not_null_count <= row_count * {{ dbt_kinds.required_value(tested, 'threshold', threshold, '0.9', least=0,
  most=1) }}
{% endtest %}
