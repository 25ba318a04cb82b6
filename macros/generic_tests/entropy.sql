{% test entropy(model, column_name=none, column=none, operator='>=', value=none) %}
  {% set tested = dbt_kinds.tested_model('entropy') %}
  {% set tested_value = dbt_kinds.tested_column(tested, column_name, column) %}
select entropy
from (
  select -sum(share * log2(share)) as entropy
  from (
    select count(*) / cast(sum(count(*)) over () as double) as share
    from {{ model }}
    where {{ tested_value }} is not null
    group by {{ tested_value }}
  )
)
where {{ dbt_kinds.compares_wrongly(tested, 'entropy', operator, value, false) }}
{% endtest %}
