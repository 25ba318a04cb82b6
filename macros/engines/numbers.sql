{# A whole number as `1,234,567`: dbt 2.0 does not support format strings with braces. Pure. #}
{% macro thousands(number) %}
  {% set digits = number | abs | string %}
  {% set groups = [] %}
  {% for group in range((digits | length + 2) // 3) %}
    {% set end = digits | length - 3 * group %}
    {% do groups.append(digits[[end - 3, 0] | max:end]) %}
  {% endfor %}
  {% do return(('-' if number < 0 else '') ~ groups | reverse | join(',')) %}
{% endmacro %}


{# A number with at most three decimals: dbt 2.0 rounds halves differently. Pure. #}
{% macro to_thousandths(number) %}
  {% do return('%.3f' | format(number) | float if number else number) %}
{% endmacro %}
