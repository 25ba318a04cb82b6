{% test mutually_exclusive_ranges(model, lower_bound_column=none, upper_bound_column=none, partition_clause=none) %}
  {% set tested = dbt_kinds.tested_model('mutually_exclusive_ranges') %}
  {% set lower = dbt_kinds.required_column(tested, 'lower_bound_column', lower_bound_column) %}
  {% set upper = dbt_kinds.required_column(tested, 'upper_bound_column', upper_bound_column) %}
select lower_bound, upper_bound, next_lower_bound
from (
  select
    {{ lower }} as lower_bound,
    {{ upper }} as upper_bound,
    lead({{ lower }}) over (
      {{ dbt_kinds._partition_clause(tested, partition_clause) }}order by {{ lower }}, {{ upper }}
    ) as next_lower_bound
  from {{ model }}
)
where lower_bound is null or upper_bound is null or lower_bound > upper_bound or upper_bound > next_lower_bound
{% endtest %}


{# `partition by …`, given with these words or as columns. Empty for none and false. #}
{% macro _partition_clause(tested, written) %}
  {% if not written %}
    {% do return('') %}
  {% endif %}
  {% set columns = modules.re.sub('(?is)^\\s*partition\\s+by\\b', '', written) if written is string else written %}
  {% do return('partition by ' ~ dbt_kinds.tested_columns(tested, 'partition_clause', columns,
    'partition by customer_id') | join(', ') ~ ' ') %}
{% endmacro %}
