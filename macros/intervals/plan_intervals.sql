{#
  What a run of one model will do: options + what is loaded + settings of the run -> plan. Pure.

  `options` and `settings` are those of options.sql and run_settings.sql, `loads` those of fold_events, `parents` those
  of followed_parents, `gates` those of waiting_units, `late` what late_data found. Planning is done on unit numbers; a
  partial unit at the upper bound (allow_partials) counts as one and gets its true end when numbers are converted to
  instants.
#}
{% macro plan_intervals(options, loads, settings, model_hash=none, parents=[], gates=[], late=[]) %}
  {% set unit = options.unit %}
  {% set recorded = dbt_kinds.coverage_of(loads) %}
  {% set window = dbt_kinds.requested_window(options, settings) %}
  {% set upper = dbt_kinds.upper_bound(options, settings, window) %}
  {# where the rebuild of a run that died begins again #}
  {% set rebuild_from = settings.get('rebuild_from') %}
  {% set first = rebuild_from or dbt_kinds.first_instant(options, recorded, window) %}
  {% do dbt_kinds.check_query_change(options, loads, settings, model_hash) %}

  {% if window is none or rebuild_from is not none %}
    {% set planning_range = [first, upper] %}
  {% else %}
    {% set lower = window[0] if options.start is none else [window[0], first] | max %}
    {% set planning_range = [lower, [window[1], upper] | min] %}
  {% endif %}
  {% set units = dbt_kinds.units_within(planning_range, recorded, unit) %}
  {# an explicit window is loaded in any case #}
  {% set gated = dbt_kinds.waiting_units(units.missing if window is none
    else dbt_kinds.merge_intervals(units.missing + units.done), gates, unit, planning_range[1]) %}
  {% set waits = gated.waits if window is none else [] %}
  {% do units.update({'missing': gated.left}) if waits %}

  {# unit numbers by reason, see reload_reasons.sql; `asked_for` and `protected` are the recorded units in a window, or
     under a full refresh #}
  {% set reload_reasons = {'late': [], 'too_far': [], 'lost': {}, 'looked_back': [], 'automatic': [], 'rebuilt': [],
    'upstream': [], 'changed_parents': [], 'protected': [], 'asked_for': []} %}
  {% if window is not none and options.disable_restatement %}
    {% do reload_reasons.update({'protected': units.done}) %}
  {% elif window is not none or settings.full_refresh %}
    {% do reload_reasons.update({'asked_for': units.done}) %}
  {% elif units.done %}
    {% do reload_reasons.update(dbt_kinds.reload_reasons(options, loads, settings, model_hash, parents, units,
      planning_range[1], late)) %}
  {% endif %}
  {% set start_anew = dbt_kinds._rebuilds_table(options, settings, recorded, reload_reasons) %}
  {% if start_anew and recorded and not settings.full_refresh %}
    {% set planning_range = [dbt_kinds.floor_to_unit(recorded[0][0], unit), upper] %}
    {% set units = dbt_kinds.units_within(planning_range, recorded, unit) %}
    {% do units.update({'missing': dbt_kinds.waiting_units(units.missing, gates, unit, planning_range[1]).left})
      if window is none %}
    {% do reload_reasons.update({'asked_for': units.done} if reload_reasons.asked_for
      else {'rebuilt': units.done, 'late': [], 'looked_back': [], 'upstream': []}) %}
  {% endif %}

  {% if window is none and not start_anew %}
    {% set waits = waits + dbt_kinds._held_back(reload_reasons, gates, unit, planning_range[1]) %}
  {% endif %}
  {% set restated = dbt_kinds.merge_intervals(reload_reasons.asked_for + reload_reasons.automatic
    + reload_reasons.rebuilt + reload_reasons.upstream) %}
  {% set chosen = dbt_kinds.merge_intervals(units.missing + reload_reasons.late + reload_reasons.looked_back
    + restated) %}
  {% set batch_size = settings.batch_size or options.batch_size %}
  {% do dbt_kinds._check_max_batches(options, batch_size) %}
  {% set batches = dbt_kinds.as_instants(dbt_kinds.cut_into_batches(chosen, batch_size), unit, planning_range[1]) %}
  {% set missing = dbt_kinds.as_instants(units.missing, unit, planning_range[1]) %}
  {% if options.traits.accumulates and not start_anew %}
    {% do dbt_kinds._check_merged_whole(options, missing, recorded) %}
  {% elif options.traits.appends_rows and not start_anew %}
    {# the recorded part of a unit would be duplicated #}
    {% set batches, missing = dbt_kinds.subtract_intervals(batches, recorded),
      dbt_kinds.subtract_intervals(missing, recorded) %}
  {% endif %}
  {% do return({
    'model': options.unique_id,
    'relation': options.relation,
    'kind': options.kind,
    'execution_time': settings.execution_time,
    'start': none if units.expected == [] and window is not none else planning_range[0],
    'end': none if units.expected == [] and window is not none else planning_range[1],
    'cron': options.cron,
    'unit': unit.name,
    'recorded': recorded,
    'missing': missing,
    'lookback': dbt_kinds.as_instants(dbt_kinds.merge_intervals(reload_reasons.late + reload_reasons.looked_back), unit,
      planning_range[1]),
    'restated': dbt_kinds.as_instants(restated, unit, planning_range[1]),
    'batches': dbt_kinds.first_batches(options, batches),
    'waiting': dbt_kinds.waiting_intervals(waits, unit, planning_range[1]),
    'reason': dbt_kinds.plan_reason(settings, window, recorded, [first, upper], planning_range, units, reload_reasons,
      start_anew, waits, dbt_kinds.late_words(options, late, reload_reasons))
      ~ (', query not compared' if dbt_kinds.query_not_compared(options, recorded, settings, model_hash) else ''),
    'start_anew': start_anew,
    'to_go': batches | length - dbt_kinds.first_batches(options, batches) | length,
    'unready': gated.waits | map(attribute='words') | list if window is not none else [],
    'lost': reload_reasons.lost,
  }) %}
{% endmacro %}


{# The units of the planned range, by number: all of them, the missing ones and the recorded ones. #}
{% macro units_within(planning_range, recorded, unit) %}
  {% set expected = [] if planning_range[0] >= planning_range[1] else
    [[dbt_kinds.unit_index(planning_range[0], unit), dbt_kinds.unit_index_after(planning_range[1], unit)]] %}
  {% set covered = dbt_kinds.covered_units(recorded, unit, planning_range[1]) %}
  {% do return({
    'expected': expected, 'missing': dbt_kinds.subtract_intervals(expected, covered),
    'done': dbt_kinds.intersect_intervals(expected, covered),
  }) %}
{% endmacro %}


{#
  Holds back units that would be reloaded although a parent lacks a part of them, and late or lookback units whose
  sources are incomplete. Units reloaded for other reasons were complete when they were loaded.
#}
{% macro _held_back(reload_reasons, gates, unit, upper) %}
  {% set waits, parents = [], gates | selectattr('recorded', 'defined') | list %}
  {% for reason in ['late', 'looked_back', 'automatic', 'rebuilt', 'upstream'] if reload_reasons[reason] %}
    {% set gated = dbt_kinds.waiting_units(reload_reasons[reason],
      gates if reason in ['late', 'looked_back'] else parents, unit, upper) %}
    {% do waits.extend(gated.waits) %}
    {% do reload_reasons.update({reason: gated.left}) %}
  {% endfor %}
  {% do return(waits) %}
{% endmacro %}


{# max_batches: the oldest of the batches. Pure. #}
{% macro first_batches(options, batches) %}
  {% do return(batches if options.max_batches is none else batches[:options.max_batches]) %}
{% endmacro %}


{# Lookback units come first each time: a run with no room for more would never make progress. #}
{% macro _check_max_batches(options, batch_size) %}
  {% if options.max_batches is not none and batch_size and batch_size * options.max_batches <= options.lookback %}
    {% do dbt_kinds.fail(options.model,
      'max_batches ' ~ options.max_batches ~ ' times batch_size ' ~ batch_size ~ ' is not more than lookback '
        ~ options.lookback
      ~ ', so every run would only load the lookback again; set max_batches to ' ~ (options.lookback // batch_size + 1)
      ~ ' or more') %}
  {% endif %}
{% endmacro %}


{# Whether the table is rebuilt: by a full refresh, by the continuation of one that died, or because rows of one period
   cannot be replaced and any of them must be reloaded. #}
{% macro _rebuilds_table(options, settings, recorded, reload_reasons) %}
  {% if settings.get('rebuild_from') is not none %}
    {% do return(true) %}
  {% elif settings.full_refresh or not options.traits.rebuilds_to_restate %}
    {% do return(settings.full_refresh) %}
  {% elif reload_reasons.asked_for and options.traits.accumulates %}
    {% set met = dbt_kinds.as_instants(reload_reasons.asked_for, options.unit, settings.end) %}
    {% do dbt_kinds.fail(options.model,
      'the window ' ~ settings.start ~ ' to ' ~ settings.end ~ ' overlaps intervals that are already merged, '
        ~ met[0][0] ~ ' to ' ~ met[-1][1]
      ~ ', and an interval can be merged only once; rebuild the table with --full-refresh, or drop kinds_start and kinds_end') %}
  {% elif reload_reasons.asked_for and not settings.allow_full_restatement %}
    {% do dbt_kinds.fail(options.model, 'restating ' ~ options.kind ~ ' rebuilds the whole table from '
      ~ dbt_kinds.floor_to_unit(recorded[0][0], options.unit)
      ~ '; pass kinds_allow_full_restatement: true, or drop kinds_start and kinds_end') %}
  {% endif %}
  {% do return(reload_reasons.asked_for != [] or reload_reasons.rebuilt != []) %}
{% endmacro %}


{# A merged interval can be neither merged again nor removed. #}
{% macro _check_merged_whole(options, missing, recorded) %}
  {% set merged = dbt_kinds.intersect_intervals(missing, recorded) %}
  {% if merged %}
    {% do dbt_kinds.fail(options.model,
      merged[0][0] ~ ' to ' ~ merged[0][1] ~ ' is already merged, but is only part of an interval of one '
      ~ options.unit.name ~ ', and an interval can be merged only once; rebuild the table with --full-refresh') %}
  {% endif %}
{% endmacro %}
