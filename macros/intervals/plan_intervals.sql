{#
  What a run of one model will do: options + what is loaded + settings of the run -> plan. Pure.

  `options` and `settings` are those of options.sql and run_settings.sql, `loads` those of fold_events. Reasoning is done
  on numbers of units; a unit that is cut short by the upper bound (allow_partials) counts as one and gets its true end
  when numbers become instants again.
#}
{% macro plan_intervals(options, loads, settings, query_hash=none, parents=[]) %}
  {% set unit = options.unit %}
  {% set recorded = dbt_kinds.coverage_of(loads) %}
  {% set window = dbt_kinds._requested_window(options, settings) %}
  {% set upper = dbt_kinds._upper_bound(options, settings, window) %}
  {% set first = dbt_kinds._first_instant(options, recorded, window) %}
  {% do dbt_kinds._check_query_change(options, loads, settings, query_hash) %}

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

  {% set again = {'looked_back': [], 'automatic': [], 'rebuilt': [], 'upstream': [], 'changed_parents': [], 'protected': [], 'asked_for': []} %}
  {% if window is not none and options.disable_restatement %}
    {% do again.update({'protected': done}) %}
  {% elif window is not none or settings.full_refresh %}
    {% do again.update({'asked_for': done}) %}
  {% elif done %}
    {% do again.update(dbt_kinds._loaded_again(options, loads, settings, query_hash, parents, missing, done, looked_at[1])) %}
  {% endif %}

  {% set restated = dbt_kinds.merge_intervals(again.asked_for + again.automatic + again.rebuilt + again.upstream) %}
  {% set chosen = dbt_kinds.merge_intervals(missing + again.looked_back + restated) %}
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
    'lookback': dbt_kinds._as_instants(again.looked_back, unit, looked_at[1]),
    'restated': dbt_kinds._as_instants(restated, unit, looked_at[1]),
    'batches': dbt_kinds._as_instants(batches, unit, looked_at[1]),
    'reason': dbt_kinds._plan_reason(settings, window, recorded, [first, upper], looked_at, missing, done, again)
      ~ (', query not compared' if dbt_kinds._query_not_compared(options, recorded, settings, query_hash) else ''),
  }) %}
{% endmacro %}
