{% test number_of_rows(model, threshold=none) %}
  {% set tested = dbt_kinds.tested_model('number_of_rows') %}
  {% set most = dbt_kinds.whole_number(tested, 'threshold',
    dbt_kinds.required_value(tested, 'threshold', threshold, '100'), 0) %}
select row_count
from (
  select count(*) as row_count
  from (
    select 1
    from {{ model }}
    limit {{ most + 1 }}
  )
)
where row_count <= {{ most }}
{% endtest %}
