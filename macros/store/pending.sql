{#
  Announces a write that must not be repeated: the `pending` event says how to find out whether it was done, if
  this run dies before its record.
#}
{% macro announce_write(run_context, batch, details, snapshot_id=none) %}
  {% do dbt_kinds.assert_lease(run_context.options) %}
  {# the first batch of a rebuild: until it is recorded, recovery means restarting the rebuild #}
  {% set open = dbt_kinds.open_write(run_context.options.relation) %}
  {% set details = dict(details,
    rebuild_from=dbt_kinds.details_of(open).get('rebuild_from') if open is not none else none) %}
  {# the details of the record to come, as a text in those of the announcement #}
  {% do details.update({'details': dbt_kinds.details_text(details.details)}) if details.get('details') is not none %}
  {# of states, `invalidated` marks an interval of which nothing was recorded before: it is in doubt until `loaded`
     follows #}
  {% set in_doubt = dbt_kinds.invalidations([batch], run_context.plan.execution_time)
    if run_context.options.traits.accumulates and batch[0] < batch[1] else [] %}
  {% do dbt_kinds.append_events(run_context.options, in_doubt + [{
    'event': 'pending', 'interval_start': batch[0], 'interval_end': batch[1],
    'execution_time': run_context.plan.execution_time,
    'model_hash': run_context.model_hash, 'started_at': dbt_kinds.next_moment(), 'snapshot_id': snapshot_id,
    'details': details,
  }]) %}
{% endmacro %}


{# The announced write of a relation that is open, as far as this run knows, or none. #}
{% macro open_write(relation) %}
  {% set log = dbt_kinds.log_of(relation) %}
  {% set views = log.views %}
  {% if 'open_write' not in views %}
    {% do views.update({'open_write': dbt_kinds.announced_write(log.rows)}) %}
  {% endif %}
  {% do return(views.open_write) %}
{% endmacro %}


{#
  The open announced write among the events of one relation, or none. A relation has at most one, which anything that is
  recorded of the relation later closes, whatever its interval: a run settles it before it records anything else. Pure.
#}
{% macro announced_write(rows) %}
  {% set announced = rows | selectattr('event', 'eq', 'pending') | sort(attribute='recorded_at') | list %}
  {% if not announced %}
    {% do return(none) %}
  {% endif %}
  {% set newest = announced[-1] %}
  {% set closing = rows | selectattr('event', 'in', ['loaded', 'invalidated', 'settled'])
    | selectattr('recorded_at', 'gt', newest.recorded_at) | list %}
  {% do return(none if closing else newest) %}
{% endmacro %}


{#
  The open announced write again, for an operation that records intervals without settling it: to be appended with them.
  Empty if there is none, or if the intervals say what came of it. Pure.
#}
{% macro still_pending(pending, intervals) %}
  {% if pending is none or dbt_kinds.intersect_intervals(intervals, [[pending.interval_start, pending.interval_end]]) %}
    {% do return([]) %}
  {% endif %}
  {% set repeated = {} %}
  {% for name in ['event', 'interval_start', 'interval_end', 'execution_time', 'model_hash', 'started_at',
      'snapshot_id', 'details'] %}
    {% do repeated.update({name: pending.get(name)}) %}
  {% endfor %}
  {% do return([repeated]) %}
{% endmacro %}


{# What the run that announced a write would have recorded after it, as far as it is announced. Pure. #}
{% macro announced_load(pending) %}
  {% set details = dbt_kinds.details_of(pending) %}
  {% do return({
    'event': 'loaded', 'interval_start': pending.interval_start, 'interval_end': pending.interval_end,
    'execution_time': pending.get('execution_time'),
    'model_hash': pending.get('model_hash'), 'started_at': pending.get('started_at'),
    'rows_written': details.get('rows'), 'details': details.get('details'),
  }) %}
{% endmacro %}


{# Whether an open announcement is that of an append or a merge, and of exactly this interval, none for any. Pure. #}
{% macro may_be_written(pending, interval) %}
  {% do return(pending is not none and interval in [none, [pending.interval_start, pending.interval_end]]
    and dbt_kinds.details_of(pending).write in ['append', 'merge']) %}
{% endmacro %}


{#
  Refuses to say what a table holds while only a run can complete an announced write: until then it may lack rows, and
  anything that is recorded of it would close the announcement.
#}
{% macro refuse_half_written(options, pending) %}
  {% if pending is not none and not dbt_kinds.may_be_written(pending, none) %}
    {% do dbt_kinds.release_lease_of(options) %}
    {% do dbt_kinds.fail(options.model,
      'a run died while it rewrote ' ~ options.relation
        ~ ', which may lack rows until the next run has completed that; run the model first: dbt run --select '
        ~ options.model) %}
  {% endif %}
{% endmacro %}


{# Closes the announced write of a relation, whatever its outcome, if there is one. #}
{% macro close_announced_write(options) %}
  {% do dbt_kinds.append_events(options, [{'event': 'settled'}])
    if dbt_kinds.open_write(options.relation) is not none %}
{% endmacro %}
