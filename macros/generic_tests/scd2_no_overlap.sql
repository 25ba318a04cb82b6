{% test scd2_no_overlap(model, unique_key=none, valid_from='valid_from', valid_to='valid_to') %}
  {% set tested = dbt_kinds.tested_model('scd2_no_overlap') %}
  {% set keys = dbt_kinds.tested_columns(tested, 'unique_key', unique_key, '[customer_id]') %}
  {% set since, until = dbt_kinds.required_column(tested, 'valid_from', valid_from),
    dbt_kinds.required_column(tested, 'valid_to', valid_to) %}
select *
from (
  select *, lead({{ since }}) over (partition by {{ keys | join(', ') }} order by {{ since }}, {{ until }} nulls last)
    as next_valid_from
  from {{ model }}
)
where next_valid_from < {{ until }} or (next_valid_from is not null and {{ until }} is null)
{% endtest %}
