{#
  Plans a run of SCD type 2. Its batches are merges, each at one instant: the start of its window if batch_size is set,
  else the execution time. None may be older than a recorded one, because history cannot be inserted before existing
  versions; `kinds_start` restores the table and continues from there. The argument `batches` has the merges that are
  recorded (recorded_batches), the plan's `batches` those that are due. Pure.

  An interval that waits for its sources makes all later ones wait, too, because it could not be merged before them
  afterwards.
#}
{% macro plan_history(options, loads, settings, model_hash, batches, gates=[]) %}
  {% set unit = options.unit %}
  {% set recorded = dbt_kinds.coverage_of(loads) %}
  {% do dbt_kinds._check_history_window(options, settings) %}
  {% do dbt_kinds.check_query_change(options, loads, settings, model_hash) %}
  {# where the rebuild of a run that died begins again #}
  {% set rebuild_from = settings.get('rebuild_from') %}
  {% set replaces_history = settings.full_refresh or rebuild_from is not none %}
  {# the merges that the table will hold, unless they are withdrawn; a rebuild begins without any #}
  {% set merges = [] if replaces_history else batches %}
  {% set restatement = dbt_kinds._history_restatement(options, settings, merges) %}
  {% set upper = dbt_kinds.upper_bound(options, settings, settings.start) %}
  {% set until = [settings.end, upper] | min if settings.end is not none and rebuild_from is none else upper %}
  {% set since = rebuild_from or dbt_kinds._first_merged_instant(options, settings, recorded, merges, restatement,
    upper) %}
  {% set covered = [] if not merges else recorded if restatement is none
    else dbt_kinds.subtract_intervals(recorded, [restatement.taken_back]) %}
  {% set units = dbt_kinds.units_within([since, until], covered, unit) %}
  {% set gated = dbt_kinds.waiting_units(units.missing, gates, unit, until, in_order=true) %}
  {% set waits = gated.waits if settings.start is none and not (replaces_history and recorded) else [] %}
  {% do units.update({'missing': gated.left}) if waits %}

  {# kinds_ignore_cron while nothing is missing: the source is read whole, so the last interval can be merged once
     more #}
  {% set merged_again = not units.missing and not waits and merges != [] and not options.batch_size
    and settings.ignore_cron and settings.start is none %}
  {% if options.batch_size %}
    {% set chosen = dbt_kinds.cut_into_batches(units.missing, settings.batch_size or options.batch_size) %}
  {% elif merged_again %}
    {% set last = dbt_kinds.unit_index_after(upper, unit) %}
    {% set chosen = [[last - 1, last]] %}
  {% else %}
    {% set chosen = [[units.missing[0][0], units.missing[-1][1]]] if units.missing else [] %}
  {% endif %}
  {% set all_planned = dbt_kinds.as_instants(chosen, unit, until) %}
  {% set planned = dbt_kinds.first_batches(options, all_planned) %}
  {% do dbt_kinds._check_not_late(options, settings, merges, restatement, planned, upper) %}
  {# nothing is taken back where nothing would be merged instead: what is recorded lies behind the option end #}
  {% set restatement = restatement if planned else none %}
  {% set merged_until = merges | map(attribute='end') | max if merges else none %}
  {% set skips = options.batch_size and settings.start is not none and restatement is none and merges != []
    and planned != [] %}
  {% do return({
    'model': options.unique_id,
    'relation': options.relation,
    'kind': options.kind,
    'execution_time': settings.execution_time,
    'start': none if since >= until and settings.start is not none else since,
    'end': none if since >= until and settings.start is not none else until,
    'cron': options.cron,
    'unit': unit.name,
    'recorded': recorded,
    'missing': dbt_kinds.as_instants(units.missing, unit, until),
    'lookback': [],
    'restated': planned if merged_again or (replaces_history and recorded) else [restatement.taken_back]
      if restatement is not none else [],
    'batches': planned,
    'waiting': dbt_kinds.waiting_intervals(waits, unit, until),
    'reason': dbt_kinds._history_reason(settings, merges, restatement, units, [since, until], merged_again,
      waits | map(attribute='words') | list),
    'start_anew': merges == [],
    'replaces_history': replaces_history,
    'restatement': restatement,
    'to_go': all_planned | length - planned | length,
    'unready': gated.waits | map(attribute='words') | list if not waits else [],
    'skipped': [merged_until, planned[0][0]] if skips and merged_until < planned[0][0] else none,
    'lost': {},
  }) %}
{% endmacro %}


{# The instant of a batch, which dates its rows if no column of the source does. #}
{% macro batch_instant(options, batch, execution_time) %}
  {% do return(batch[0] if options.batch_size else execution_time) %}
{% endmacro %}


{% macro _check_history_window(options, settings) %}
  {% set start, end, unit = settings.start, settings.end, options.unit %}
  {% if end is not none and start is none %}
    {% do dbt_kinds.fail(options.model,
      'kinds_end ' ~ end ~ ' has no kinds_start; pass both, or kinds_start alone to restate from there on') %}
  {% elif start is not none and settings.full_refresh %}
    {% do dbt_kinds.fail(options.model,
      'a full refresh takes no window; drop either --full-refresh or kinds_start and kinds_end') %}
  {% elif end is not none and start >= end %}
    {% do dbt_kinds.fail(options.model, 'kinds_start ' ~ start ~ ' is not before kinds_end ' ~ end) %}
  {% endif %}
{% endmacro %}


{#
  What kinds_start withdraws: `{from, taken_back, bound, is_exact, may_be_approximate, snapshot_id}`; none if no batch
  at or after it is recorded. Restoring by value removes the rows from `bound` on; `is_exact` says whether these are
  exactly the rows that the batches wrote, `may_be_approximate` whether it is allowed to be done all the same.
  `snapshot_id` is the table's snapshot before them, or none.
#}
{% macro _history_restatement(options, settings, batches) %}
  {% set since = settings.start %}
  {% set withdrawn = batches | selectattr('instant', 'ge', since) | list if since is not none else [] %}
  {% if not withdrawn or (settings.end is not none and withdrawn[0].instant >= settings.end) %}
    {% do return(none) %}
  {% endif %}
  {% set kept = batches | selectattr('instant', 'lt', since) | list %}
  {% set recorded_until = batches | map(attribute='end') | max %}
  {% if options.disable_restatement %}
    {% do dbt_kinds.fail(options.model, 'kinds_start ' ~ since ~ ' restates what is recorded up to ' ~ recorded_until
      ~ ', and disable_restatement is true; set disable_restatement: false, or drop kinds_start and kinds_end') %}
  {% elif not kept %}
    {% do dbt_kinds.fail(options.model,
      'nothing is recorded before kinds_start ' ~ since
        ~ ', so the whole history would be rebuilt from the current state of the source'
        ~ '; if you want that, run with --full-refresh; otherwise pass a kinds_start after ' ~ withdrawn[0].instant) %}
  {% elif settings.end is not none and settings.end < recorded_until %}
    {% do dbt_kinds.fail(options.model,
      'kinds_end ' ~ settings.end ~ ' is before the end of what is recorded, ' ~ recorded_until
      ~ ', and what follows depends on what is restated; drop kinds_end, or pass ' ~ recorded_until) %}
  {% endif %}
  {% do dbt_kinds._check_aligned_window(options, settings) if options.batch_size %}
  {# whether valid_from tells the versions of the last merge that stays from those of the first that goes #}
  {% set are_told_apart = options.time_data_type != 'date' or kept[-1].instant[:10] < withdrawn[0].instant[:10] %}
  {% do return({
    'from': since,
    'taken_back': [withdrawn | map(attribute='start') | min, withdrawn | map(attribute='end') | max],
    'bound': withdrawn[0].instant if options.batch_size else since,
    'is_exact': not options.traits.is_dated_by_source and are_told_apart,
    'may_be_approximate': settings.allow_approximate_restatement,
    'snapshot_id': kept[-1].snapshot_id,
  }) %}
{% endmacro %}


{# The instant from which a run looks for missing intervals. #}
{% macro _first_merged_instant(options, settings, recorded, batches, restatement, upper) %}
  {% set unit = options.unit %}
  {% set first = dbt_kinds.floor_to_unit(options.start, unit) if options.start is not none else none %}
  {% if restatement is not none %}
    {% do return([restatement.taken_back[0], restatement.from] | min if options.batch_size
      else restatement.taken_back[0]) %}
  {% elif settings.start is not none %}
    {% do dbt_kinds._check_aligned_window(options, settings) %}
    {% do return(settings.start if first is none else [settings.start, first] | max) %}
  {% elif batches %}
    {% set merged_from = dbt_kinds.floor_to_unit(batches | map(attribute='start') | min, unit) %}
    {% do return(merged_from if first is none else [merged_from, first] | min) %}
  {% elif first is not none %}
    {% do return(first) %}
  {% elif recorded %}
    {% do return(dbt_kinds.floor_to_unit(recorded[0][0], unit)) %}
  {% elif options.batch_size %}
    {% do dbt_kinds.fail(options.model,
      'no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end') %}
  {% endif %}
  {# the source is read whole, so that any window will do #}
  {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index_after(upper, unit) - 1, unit)) %}
{% endmacro %}


{% macro _check_aligned_window(options, settings) %}
  {% set aligned = dbt_kinds.floor_to_unit(settings.start, options.unit) %}
  {% if settings.end is not none %}
    {% do dbt_kinds.requested_window(options, settings) %}
  {% elif aligned != settings.start %}
    {% do dbt_kinds.fail(options.model,
      'kinds_start ' ~ settings.start ~ ' is not aligned to its interval unit; the aligned start is ' ~ aligned) %}
  {% endif %}
{% endmacro %}


{# A merge before recorded ones would have to change the versions after it. #}
{% macro _check_not_late(options, settings, batches, restatement, planned, upper) %}
  {% set kept = batches if restatement is none else batches | selectattr('instant', 'lt', restatement.from) | list %}
  {% if not kept %}
    {% do return(none) %}
  {% endif %}
  {% set newest, merged_from = kept[-1].instant, kept | map(attribute='start') | min %}
  {% set way_out = 'older than the last recorded batch (' ~ newest
    ~ '), and versions cannot be inserted before existing ones; ' %}
  {% set restating = ', without kinds_end, and set disable_restatement: false' %}
  {% if options.start is not none
      and dbt_kinds.floor_to_unit(options.start, options.unit) < dbt_kinds.floor_to_unit(merged_from, options.unit)
      and settings.start is none %}
    {% do dbt_kinds.fail(options.model,
      'start ' ~ options.start ~ ' asks for intervals that are ' ~ way_out ~ 'set start to ' ~ merged_from
      ~ ', or rebuild the table with --full-refresh') %}
  {% endif %}
  {% for batch in planned if dbt_kinds.batch_instant(options, batch, settings.execution_time) < newest %}
    {% set instant = dbt_kinds.batch_instant(options, batch, settings.execution_time) %}
    {% do dbt_kinds.fail(options.model,
      'the batch ' ~ batch[0] ~ ' to ' ~ batch[1] ~ (', merged at ' ~ instant if instant != batch[0] else '') ~ ', is '
        ~ way_out
        ~ 'restate from there instead: pass kinds_start: ' ~ instant ~ restating) %}
  {% endfor %}
  {% if not options.batch_size and settings.execution_time < newest and upper < kept | map(attribute='end') | max %}
    {% do dbt_kinds.fail(options.model,
      'the execution time ' ~ settings.execution_time ~ ' is ' ~ way_out ~ 'to restate from there, pass kinds_start: '
      ~ settings.execution_time ~ restating) %}
  {% endif %}
{% endmacro %}


{% macro _history_reason(settings, batches, restatement, units, planning_range, merged_again, waiting) %}
  {% set missing = dbt_kinds.count_units(units.missing) %}
  {% if restatement is not none %}
    {% do return('restatement from ' ~ restatement.from ~ ': ' ~ restatement.taken_back | join(' to ')
      ~ ' is taken back') %}
  {% elif planning_range[0] >= planning_range[1] %}
    {% do return('nothing is due: the first unit begins at ' ~ planning_range[0]) %}
  {% elif settings.full_refresh or settings.get('rebuild_from') is not none %}
    {% do return((['full refresh'] + waiting) | join(', ')) %}
  {% elif not batches %}
    {% do return(((['first load'] if missing else []) + waiting) | join(', ')) %}
  {% elif settings.start is not none %}
    {% do return('window: ' ~ missing ~ ' missing, ' ~ dbt_kinds.count_units(units.done) ~ ' recorded') %}
  {% elif merged_again %}
    {% do return('merge of the last interval again, because of kinds_ignore_cron') %}
  {% endif %}
  {% do return((([missing ~ ' missing'] if missing else []) + waiting) | join(', ')
    or 'up to date until ' ~ planning_range[1]) %}
{% endmacro %}
