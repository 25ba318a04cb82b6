{# Whether all boundaries of one of two units are boundaries of the other: days and hours, months and days; not weeks
   and months. Pure. #}
{% macro units_nest(left, right) %}
  {% if left.months and right.months %}
    {% do return(left.months % right.months == 0 or right.months % left.months == 0) %}
  {% elif left.months or right.months %}
    {% set exact = right if left.months else left %}
    {% do return(exact.origin == 0 and 86400 % exact.seconds == 0) %}
  {% endif %}
  {% set shorter, longer = (left, right) if left.seconds <= right.seconds else (right, left) %}
  {% do return(longer.seconds % shorter.seconds == 0 and (longer.origin - shorter.origin) % shorter.seconds == 0) %}
{% endmacro %}
