{# A condition: a value is outside the bounds, one of which may be open. NULL is never outside. #}
{% macro outside_range(tested, value, min_v, max_v, inclusive) %}
  {% set includes_bounds = dbt_kinds.true_or_false(tested, 'inclusive', inclusive) %}
  {% set low, high = dbt_kinds.tested_value(tested, 'min_v', min_v), dbt_kinds.tested_value(tested, 'max_v', max_v) %}
  {% if low is none and high is none %}
    {% do dbt_kinds.fail(tested,
      'without min_v and max_v it could not fail; write one of them, or both, such as min_v: 0') %}
  {% elif low is not none and high is not none and dbt_kinds.is_number(low) and dbt_kinds.is_number(high)
      and low | float > high | float %}
    {% do dbt_kinds.fail(tested, "min_v '" ~ min_v ~ "' is greater than max_v '" ~ max_v ~ "'; exchange them") %}
  {% endif %}
  {% set conditions = [] %}
  {% if low is not none %}
    {% do conditions.append(value ~ (' < ' if includes_bounds else ' <= ') ~ low) %}
  {% endif %}
  {% if high is not none %}
    {% do conditions.append(value ~ (' > ' if includes_bounds else ' >= ') ~ high) %}
  {% endif %}
  {% do return(conditions | join(' or ')) %}
{% endmacro %}


{# The aggregate of a table, as the one failing row, if it is outside the bounds. #}
{% macro aggregate_outside_range(tested, model, name, aggregate, min_v, max_v, inclusive) %}
  {% set query -%}
select {{ name }}
from (
  select {{ aggregate }} as {{ name }}
  from {{ model }}
)
where {{ dbt_kinds.outside_range(tested, name, min_v, max_v, inclusive) }}
  {%- endset %}
  {% do return(query) %}
{% endmacro %}
