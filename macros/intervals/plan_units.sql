{# Units that lie entirely within the coverage; the last one need only be covered up to the upper bound. #}
{% macro covered_units(recorded, unit, upper) %}
  {% set covered = [] %}
  {% for start, end in recorded %}
    {% set last = dbt_kinds.unit_index_after(upper, unit) if end >= upper else dbt_kinds.unit_index(end, unit) %}
    {% do covered.append([dbt_kinds.unit_index_after(start, unit), last]) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(covered)) %}
{% endmacro %}


{# Contiguous ranges of units, cut into pieces of batch_size units. #}
{% macro cut_into_batches(chosen, batch_size) %}
  {% if not batch_size %}
    {% do return(chosen) %}
  {% endif %}
  {% set batches = [] %}
  {% for start, end in chosen %}
    {% for batch_start in range(start, end, batch_size) %}
      {% do batches.append([batch_start, [batch_start + batch_size, end] | min]) %}
    {% endfor %}
  {% endfor %}
  {% do return(batches) %}
{% endmacro %}


{# Contiguous ranges of units as intervals of instants; none ends behind `upper`. #}
{% macro as_instants(indexes, unit, upper) %}
  {% set intervals = [] %}
  {% for start, end in indexes %}
    {% do intervals.append([dbt_kinds.unit_start(start, unit), [dbt_kinds.unit_start(end, unit), upper] | min]) %}
  {% endfor %}
  {% do return(intervals) %}
{% endmacro %}


{% macro count_units(indexes) %}
  {% set count = namespace(units=0) %}
  {% for start, end in indexes %}
    {% set count.units = count.units + end - start %}
  {% endfor %}
  {% do return(count.units) %}
{% endmacro %}
