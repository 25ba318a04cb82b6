{# `1,234,567`, of a whole number: dbt 2.0 does not format by braces. Pure. #}
{% macro thousands(number) %}
  {% set digits = number | abs | string %}
  {% set groups = [] %}
  {% for group in range((digits | length + 2) // 3) %}
    {% set end = digits | length - 3 * group %}
    {% do groups.append(digits[[end - 3, 0] | max:end]) %}
  {% endfor %}
  {% do return(('-' if number < 0 else '') ~ groups | reverse | join(',')) %}
{% endmacro %}


{# A number with three decimals at most: halves are rounded otherwise in dbt 2.0. Pure. #}
{% macro to_thousandths(number) %}
  {% do return('%.3f' | format(number) | float if number else number) %}
{% endmacro %}
