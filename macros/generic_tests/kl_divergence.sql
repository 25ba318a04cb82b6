{% test kl_divergence(model, column_name=none, source_column=none, target_column=none, threshold=none, column=none) %}
  {% set tested = dbt_kinds.tested_model('kl_divergence') %}
  {% set source = dbt_kinds.either_argument(tested, 'source_column', source_column, 'column', column) %}
  {% set columns = {
    'source': dbt_kinds.tested_column(tested, column_name, source, 'source_column'),
    'target': dbt_kinds.required_column(tested, 'target_column', target_column),
  } %}
with {% for side, column in columns.items() -%}
{{ side }}_shares as (
  select {{ column }} as value, count(*) / sum(count(*)) over () as share
  from {{ model }}
  group by {{ column }}
){{ ',' if not loop.last }}
{% endfor -%}
select kl_divergence
from (
  select sum((source_shares.share - target_shares.share) * ln(source_shares.share / target_shares.share))
    as kl_divergence
  from source_shares
  inner join target_shares on source_shares.value = target_shares.value
)
where kl_divergence > {{ dbt_kinds.required_value(tested, 'threshold', threshold, '0.1', least=0) }}
{% endtest %}
