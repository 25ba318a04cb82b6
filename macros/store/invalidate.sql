{#
  Takes back what the store says of a batch, before it is written: a run that is killed leaves a gap, never a hole that is
  called loaded. The rest of a unit that the batch ends in goes with it. Nothing when nothing is recorded.
#}
{% macro invalidate(options, plan, batch) %}
  {% set whole_units = [[batch[0], dbt_kinds.ceil_to_unit(batch[1], options.unit)]] %}
  {% set recorded = dbt_kinds.intersect_intervals(whole_units, dbt_kinds.coverage(options.relation)) %}
  {% do dbt_kinds.append_events(options, dbt_kinds.invalidations(recorded, plan.execution_time)) %}
{% endmacro %}


{# The same for everything, before a table is created or replaced. What is recorded of a dropped table goes here. #}
{% macro invalidate_all(options, plan) %}
  {% do dbt_kinds.close_pending_write(options) %}
  {% set recorded = dbt_kinds.coverage(options.relation) %}
  {% if recorded %}
    {% do dbt_kinds.append_events(options, dbt_kinds.invalidations([[recorded[0][0], recorded[-1][1]]], plan.execution_time)) %}
  {% endif %}
{% endmacro %}


{# Events that take intervals back. Pure. #}
{% macro invalidations(intervals, execution_time) %}
  {% set events = [] %}
  {% for start, end in intervals %}
    {% do events.append({'event': 'invalidated', 'interval_start': start, 'interval_end': end, 'execution_time': execution_time}) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}
