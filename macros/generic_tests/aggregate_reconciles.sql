{% test aggregate_reconciles(model, aggregate=none, to=none, their_aggregate=none) %}
  {% set tested = dbt_kinds.tested_model('aggregate_reconciles') %}
  {% set ours = dbt_kinds.required_column(tested, 'aggregate', aggregate) %}
  {% if not to %}
    {% do dbt_kinds.fail(tested, "to is missing; write to: ref('<model>'), the table to compare with") %}
  {% endif %}
select aggregate_value, their_value
from (select {{ ours }} as aggregate_value from {{ model }}) as ours
cross join (
  select {{ dbt_kinds.required_column(tested, 'their_aggregate', their_aggregate) if their_aggregate is not none
    else ours }} as their_value
  from {{ to }}
) as theirs
where aggregate_value is distinct from their_value
{% endtest %}
