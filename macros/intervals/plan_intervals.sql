{#
  What a run of one model will do: options + recorded coverage + settings of the run -> plan. Pure.

  `options` and `settings` are those of options.sql and run_settings.sql; `recorded` is a set of intervals.
  `window` of a plan is none or what the person asked for. Reasoning is done on numbers of units; a unit that is cut
  short by the upper bound (allow_partials) counts as one and gets its true end when numbers become instants again.
#}
{% macro plan_intervals(options, recorded, settings) %}
  {% set unit = options.unit %}
  {% set window = dbt_kinds._requested_window(options, settings) %}
  {% set upper = dbt_kinds._upper_bound(options, settings, window) %}
  {% set first = dbt_kinds._first_instant(options, recorded, window) %}

  {% if window is none %}
    {% set looked_at = [first, upper] %}
  {% else %}
    {% set lower = window[0] if options.start is none else [window[0], first] | max %}
    {% set looked_at = [lower, [window[1], upper] | min] %}
  {% endif %}
  {% set nothing_due = looked_at[0] >= looked_at[1] %}

  {% set expected = [] if nothing_due else
    [[dbt_kinds.unit_index(looked_at[0], unit), dbt_kinds.unit_index_after(looked_at[1], unit)]] %}
  {% set covered = dbt_kinds._covered_units(recorded, unit, looked_at[1]) %}
  {% set missing = dbt_kinds.subtract_intervals(expected, covered) %}
  {% set done = dbt_kinds.intersect_intervals(expected, covered) %}

  {% set looked_back = [] %}
  {% set restated = [] %}
  {% set protected = [] %}
  {% if window is none and not settings.full_refresh %}
    {% set looked_back = dbt_kinds._units_before(missing, options.lookback, done) %}
  {% elif window is not none and options.disable_restatement %}
    {% set protected = done %}
  {% else %}
    {% set restated = done %}
  {% endif %}

  {% set chosen = dbt_kinds.merge_intervals(missing + looked_back + restated) %}
  {% set batches = dbt_kinds._cut_into_batches(chosen, settings.batch_size or options.batch_size) %}
  {% do return({
    'model': options.unique_id,
    'relation': options.relation,
    'kind': options.kind,
    'execution_time': settings.execution_time,
    'start': none if nothing_due and window is not none else looked_at[0],
    'end': none if nothing_due and window is not none else looked_at[1],
    'cron': options.cron,
    'unit': unit.name,
    'recorded': recorded,
    'missing': dbt_kinds._as_instants(missing, unit, looked_at[1]),
    'lookback': dbt_kinds._as_instants(looked_back, unit, looked_at[1]),
    'restated': dbt_kinds._as_instants(restated, unit, looked_at[1]),
    'batches': dbt_kinds._as_instants(batches, unit, looked_at[1]),
    'reason': dbt_kinds._plan_reason(
      settings, window, recorded, [first, upper], looked_at,
      dbt_kinds._count_units(missing), dbt_kinds._count_units(looked_back),
      dbt_kinds._count_units(done), dbt_kinds._count_units(protected)
    ),
  }) %}
{% endmacro %}
