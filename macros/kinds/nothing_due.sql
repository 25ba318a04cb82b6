{#
  The plan of a run that finds nothing to do, told by the clock and by what is recorded, without the planner; none if
  that has to look. It is the planner's own plan, which a property shows.

  Nothing is due if the table is recorded without a gap from its first unit to its last complete one, and nothing can
  ask for a recorded unit: no window and no rebuild, no other query, no schedule of restatements, no search for late
  rows, and no parent that loaded what was read. What has to be asked of others, or may be refused, is left to the
  planner.
#}
{% macro plan_of_nothing_due(node, options, run) %}
  {% set loads, settings, recorded = run.loads, run.settings, namespace(end=none) %}
  {% if not loads or settings.start is not none or settings.end is not none or settings.full_refresh
      or settings.ignore_cron or settings.get('rebuild_from') is not none
    or options.auto_restatement is not none or options.late_data is not none or options.ready_until is not none
    or options.on_missing_upstream != 'load' or options.max_batches is not none %}
    {% do return(none) %}
  {% endif %}
  {% for load in loads %}
    {% if recorded.end is not none and load.start > recorded.end %}{% do return(none) %}{% endif %}
    {% set recorded.end = load.end %}
  {% endfor %}
  {% set since, upper = loads[0].start, dbt_kinds.upper_bound(options, settings, none) %}
  {% if recorded.end < upper %}
    {% do return(none) %}
  {% endif %}
  {% set first = dbt_kinds.first_instant(options, [[since, recorded.end]], none) %}
  {% if since > first or first >= upper or dbt_kinds._asks_for_recorded_units(node, options, run) %}
    {% do return(none) %}
  {% elif options.traits.has_merge_timeline and not dbt_kinds._is_all_merged(options, since, recorded.end, upper) %}
    {% do return(none) %}
  {% endif %}
  {% set idle = {
    'model': options.unique_id, 'relation': options.relation, 'kind': options.kind,
    'execution_time': settings.execution_time, 'start': first, 'end': upper, 'cron': options.cron,
    'unit': options.unit.name, 'recorded': [[since, recorded.end]], 'missing': [], 'lookback': [], 'restated': [],
    'batches': [], 'waiting': [], 'reason': 'up to date until ' ~ upper,
    'start_anew': false, 'to_go': 0, 'unready': [], 'lost': {}, 'sources': [], 'note': none, 'notes': [], 'told': none,
  } %}
  {% do return(idle if not options.traits.has_merge_timeline
    else dict(idle, start=since, replaces_history=false, restatement=none, skipped=none)) %}
{% endmacro %}


{# Whether another query or a parent may ask for a recorded unit. #}
{% macro _asks_for_recorded_units(node, options, run) %}
  {% if options.on_query_change != 'forward' %}
    {% set model_hash = dbt_kinds.hash_of_run(options, run) %}
    {% for load in run.loads if model_hash is none or (load.model_hash or model_hash) != model_hash %}
      {% do return(true) %}{% endfor %}
  {% endif %}
  {% for parent in (dbt_kinds.followed_parents(node, options, run.sql) if not options.disable_restatement else []) %}
    {% if dbt_kinds.upstream_changes(run.loads, parent, options.unit) %}{% do return(true) %}{% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{# Whether a history's records are merges alone, none of them withdrawn or of a later run, so that they are its batches;
   then it is asked for from its first one on. #}
{% macro _is_all_merged(options, since, until, upper) %}
  {% set events = dbt_kinds.events_of(options.relation) %}
  {% set merges = events | selectattr('event', 'eq', 'loaded') | selectattr('kind', 'in', dbt_kinds.timeline_kinds())
    | list %}
  {% do return(until == upper and merges | length == events | length
    and since == dbt_kinds.floor_to_unit(since, options.unit)) %}
{% endmacro %}
