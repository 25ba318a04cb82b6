{% test no_overlapping_ranges(model, start_column=none, end_column=none) %}
  {% set tested = dbt_kinds.tested_model('no_overlapping_ranges') %}
  {% set start = dbt_kinds.required_column(tested, 'start_column', start_column) %}
  {% set end = dbt_kinds.required_column(tested, 'end_column', end_column) %}
select range_start, range_end, latest_end
from (
  select
    {{ start }} as range_start,
    {{ end }} as range_end,
    max({{ end }}) over (order by {{ start }}, {{ end }} rows between unbounded preceding and 1 preceding) as latest_end
  from {{ model }}
  where {{ start }} is not null
)
where range_start < latest_end
{% endtest %}
