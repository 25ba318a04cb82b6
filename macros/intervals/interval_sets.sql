{#
  Sets of half-open intervals, as sorted lists of [start, end] that neither touch nor
  overlap. A bound is any comparable value: the ISO text of an instant, or a unit number.
#}
{% macro merge_intervals(intervals) %}
  {% set merged = [] %}
  {% for start, end in intervals | sort if start < end %}
    {% if merged and start <= merged[-1][1] %}
      {% set last = merged.pop() %}
      {% do merged.append([last[0], [last[1], end] | max]) %}
    {% else %}
      {% do merged.append([start, end]) %}
    {% endif %}
  {% endfor %}
  {% do return(merged) %}
{% endmacro %}


{# What is in the first set and not in the second, sorted. #}
{% macro subtract_intervals(intervals, taken) %}
  {% set left = [] %}
  {% for start, end in intervals %}
    {% set rest = namespace(start=start) %}
    {% for taken_start, taken_end in taken if taken_start < end and taken_end > start %}
      {% if taken_start > rest.start %}
        {% do left.append([rest.start, taken_start]) %}
      {% endif %}
      {% set rest.start = [rest.start, taken_end] | max %}
    {% endfor %}
    {% if rest.start < end %}
      {% do left.append([rest.start, end]) %}
    {% endif %}
  {% endfor %}
  {% do return(left) %}
{% endmacro %}


{# What is in both sets, sorted. #}
{% macro intersect_intervals(intervals, others) %}
  {% do return(dbt_kinds.subtract_intervals(intervals, dbt_kinds.subtract_intervals(intervals, others))
    if intervals and others else []) %}
{% endmacro %}
