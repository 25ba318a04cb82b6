{#
  Takes back what the store says of a batch, before it is written: a run that is killed leaves a gap, never a hole that is
  called loaded. The rest of a unit that the batch ends in goes with it. Nothing when nothing is recorded.
#}
{% macro invalidate(options, plan, batch) %}
  {% do dbt_kinds.append_events(options, dbt_kinds.invalidations_of(options, plan, batch)) %}
{% endmacro %}


{# The events that say so; none for what may be merged again, or is never loaded twice. #}
{% macro invalidations_of(options, plan, batch) %}
  {# a merge may be done again: what it did stays as it is, and is recorded until the table is put back #}
  {% if dbt_kinds.keeps_history(options) or dbt_kinds.compares_with_table(options) %}
    {% do return([]) %}
  {% endif %}
  {% set whole_units = [[batch[0], dbt_kinds.ceil_to_unit(batch[1], options.unit)]] %}
  {% set recorded = dbt_kinds.intersect_intervals(whole_units, dbt_kinds.coverage(options.relation)) %}
  {% do return(dbt_kinds.invalidations(recorded, plan.execution_time)) %}
{% endmacro %}


{#
  The same for everything, before a table is made anew; what is recorded of a dropped table goes here. The same append announces the
  rebuild: should it die before its first record, its rows may be from before or after, and the next run begins it again, at that instant.
#}
{% macro invalidate_all(work) %}
  {% set options, plan = work.options, work.plan %}
  {% set recorded = dbt_kinds.coverage(options.relation) %}
  {% if dbt_kinds.keeps_history(options) %}
    {% set merged = [] %}
    {% for batch in dbt_kinds.recorded_batches(options) %}
      {% do merged.append([batch.start, batch.end]) %}
    {% endfor %}
    {% set recorded = dbt_kinds.merge_intervals(recorded + merged) %}
  {% endif %}
  {% set events = dbt_kinds.invalidations([[recorded[0][0], recorded[-1][1]]] if recorded else [], plan.execution_time) %}
  {% set pending = dbt_kinds.run_memory().pending %}
  {% if plan.batches and not dbt_kinds.reads_everything(options) and (recorded or pending.get(options.relation) is not none) %}
    {% set details = dbt_kinds.json_text({'write': 'rebuild', 'rebuild_from': plan.batches[0][0]}) %}
    {% do events.append({
      'event': 'pending', 'interval_start': plan.batches[0][0], 'interval_end': plan.batches[-1][1], 'execution_time': plan.execution_time,
      'details': details,
    }) %}
    {% do pending.update({options.relation: {'details': details}}) %}
  {% endif %}
  {% do dbt_kinds.append_events(options, events) %}
{% endmacro %}


{# Events that take intervals back. Pure. #}
{% macro invalidations(intervals, execution_time) %}
  {% set events = [] %}
  {% for start, end in intervals %}
    {% do events.append({'event': 'invalidated', 'interval_start': start, 'interval_end': end, 'execution_time': execution_time}) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}
