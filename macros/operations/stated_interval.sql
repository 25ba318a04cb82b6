{# The interval given by the arguments of an operation. #}
{% macro stated_interval(model, start, end) %}
  {% if start is none or end is none %}
    {% do dbt_kinds.fail(model, 'start and end go together; pass both') %}
  {% endif %}
  {% set interval = [dbt_kinds.parse_instant(model, 'start', start), dbt_kinds.parse_instant(model, 'end', end)] %}
  {% if interval[0] >= interval[1] %}
    {% do dbt_kinds.fail(model, 'start ' ~ interval[0] ~ ' is not before end ' ~ interval[1]) %}
  {% endif %}
  {% do return(interval) %}
{% endmacro %}
