{#
  Withdraws the records of a batch before it is written: a killed run leaves a recorded gap, never missing rows that are
  recorded as loaded. If the batch ends within a unit, the rest of the unit is withdrawn, too. Does nothing if nothing
  is recorded.
#}
{% macro invalidate(options, plan, batch) %}
  {% do dbt_kinds.append_events(options, dbt_kinds.invalidations_of(options, plan, batch)) %}
{% endmacro %}


{# The events that withdraw a batch; none for kinds that may merge it again or never load it twice. #}
{% macro invalidations_of(options, plan, batch) %}
  {# a merge may be repeated: its effect stays and remains recorded until the table is restored #}
  {% if options.traits.has_merge_timeline or options.traits.diffs_against_target %}
    {% do return([]) %}
  {% endif %}
  {# appended rows stay, and so does the record of those behind the batch #}
  {% set until = batch[1] if options.traits.appends_rows else dbt_kinds.ceil_to_unit(batch[1], options.unit) %}
  {% set recorded = dbt_kinds.intersect_intervals([[batch[0], until]], dbt_kinds.coverage(options.relation)) %}
  {% do return(dbt_kinds.invalidations(recorded, plan.execution_time)) %}
{% endmacro %}


{#
  The same for all records, before a table is rebuilt; this also withdraws the records of a dropped table. The same
  append announces the rebuild: if it dies before its first record, the table may hold old or new rows, and the next run
  restarts it at that instant. A kind that reads everything restarts because nothing is recorded; what an earlier run
  announced about the old table is closed.
#}
{% macro invalidate_all(run_context) %}
  {% set options, plan = run_context.options, run_context.plan %}
  {% set recorded = dbt_kinds.coverage(options.relation) %}
  {% if options.traits.has_merge_timeline %}
    {% set merged = [] %}
    {% for batch in dbt_kinds.recorded_batches(options) %}
      {% do merged.append([batch.start, batch.end]) %}
    {% endfor %}
    {% set recorded = dbt_kinds.merge_intervals(recorded + merged) %}
  {% endif %}
  {% set events = dbt_kinds.invalidations([[recorded[0][0], recorded[-1][1]]] if recorded else [],
    plan.execution_time) %}
  {% set pending = dbt_kinds.open_write(options.relation) %}
  {# a first load, too, if merging its first batch again may count it twice #}
  {% set counts_once = options.get('when_matched') is not none and dbt_kinds.writes_rows(options, warns=false) %}
  {% if plan.batches and not options.traits.ignores_intervals and (recorded or counts_once or pending is not none) %}
    {% do events.append({
      'event': 'pending', 'interval_start': plan.batches[0][0], 'interval_end': plan.batches[-1][1],
      'execution_time': plan.execution_time,
      'details': {'write': 'rebuild', 'rebuild_from': plan.batches[0][0]},
    }) %}
  {% elif pending is not none %}
    {% do events.append({'event': 'settled'}) %}
  {% endif %}
  {% do dbt_kinds.append_events(options, events) %}
{% endmacro %}


{# Events that withdraw intervals. Pure. #}
{% macro invalidations(intervals, execution_time) %}
  {% set events = [] %}
  {% for start, end in intervals %}
    {% do events.append({'event': 'invalidated', 'interval_start': start, 'interval_end': end,
      'execution_time': execution_time}) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}
