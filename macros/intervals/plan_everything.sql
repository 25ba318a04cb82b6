{# Plans a run that reads everything, whatever schedule and window. Without a start, only the last unit is recorded.
   Pure. #}
{% macro plan_everything(options, loads, settings) %}
  {% set unit = options.unit %}
  {% set last = dbt_kinds.unit_index(settings.execution_time, unit) %}
  {% set first = last - 1 if options.start is none else [last - 1, dbt_kinds.unit_index(options.start, unit)] | min %}
  {% set batches = [[dbt_kinds.unit_start(first, unit), dbt_kinds.unit_start(last, unit)]] %}
  {% set recorded = dbt_kinds.coverage_of(loads) %}
  {% do return({
    'model': options.unique_id,
    'relation': options.relation,
    'kind': options.kind,
    'execution_time': settings.execution_time,
    'start': batches[0][0],
    'end': batches[0][1],
    'cron': options.cron,
    'unit': unit.name,
    'recorded': recorded,
    'missing': dbt_kinds.subtract_intervals(batches, recorded),
    'lookback': [],
    'restated': dbt_kinds.intersect_intervals(batches, recorded),
    'batches': batches,
    'waiting': [],
    'reason': 'full refresh' if recorded else 'first load',
    'start_anew': true,
    'to_go': 0,
    'unready': [],
    'lost': {},
    'sources': [],
    'notes': [],
    'told': none,
  }) %}
{% endmacro %}
