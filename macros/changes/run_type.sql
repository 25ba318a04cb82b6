{#
  Plans a run that rests while nothing changed: what it has to do, and why, is in plan.reason (`skip: deps unchanged`).
  The versions of the tables that it reads, before its query runs, are in plan.versions for the record of its load.
#}
{% macro plan_if_changed(node, options, run) %}
  {% set plan, sql, settings, model_hash = dbt_kinds.plan_whole(node, options, run), run.sql, run.settings,
    dbt_kinds.hash_of_run(options, run) %}
  {% set nodes = dbt_kinds.tables_read(node, sql) %}
  {% set now = dbt_kinds.table_versions(node, nodes, sql) %}
  {% set latest = dbt_kinds.latest_load(run.loads) %}
  {% set then = dbt_kinds.recorded_versions(options, latest)
    if latest and latest.model_hash == model_hash and not settings.full_refresh else none %}
  {% set type, reason = dbt_kinds.run_type(latest, settings.full_refresh, model_hash, then, now,
    dbt_kinds.changed_tables(nodes, then, now)) %}
  {% set varying = dbt_kinds.varying_variable(sql, plan, latest.end) or dbt_kinds.varying_call(nodes, sql)
    if type == 'skip' and not settings.ignore_skip else none %}
  {% if type == 'skip' and (settings.ignore_skip or varying is not none) %}
    {% set type, reason = 'full', varying or 'kinds_ignore_skip' %}
  {% endif %}
  {% set decided = dict(plan, reason=type ~ ': ' ~ reason, run_type=type, versions=now) %}
  {% do return(dbt_kinds.with_nothing_to_do(decided, dbt_kinds.versions_to_note(now, then, now)) if type == 'skip'
    else decided) %}
{% endmacro %}


{#
  The type of a run and its reason, the first match. `latest` is the last load, none if nothing is recorded; one without
  a hash matches every query. `then` are the versions that it read, none if unknown; `changed` are the names of tables
  whose rows have changed. Pure.
#}
{% macro run_type(latest, full_refresh, model_hash, then, now, changed) %}
  {% set unverifiable = [] %}
  {% for name, version in now.items() if version is none %}
    {% do unverifiable.append(name) %}
  {% endfor %}
  {% if not latest %}
    {% do return(['backfill', 'first run']) %}
  {% elif full_refresh %}
    {% do return(['backfill', 'full refresh']) %}
  {% elif (latest.model_hash or none) not in [none, model_hash] %}
    {% do return(['backfill', 'sql changed']) %}
  {% elif then is none %}
    {% do return(['full', 'missing depends metadata']) %}
  {% elif not now %}
    {% do return(['skip', 'no dependencies']) %}
  {% elif unverifiable %}
    {% do return(['full', 'unverifiable dep: ' ~ unverifiable[0]]) %}
  {% elif changed %}
    {% do return(['full', 'dep changed: ' ~ changed[0]]) %}
  {% endif %}
  {% do return(['skip', 'deps unchanged']) %}
{% endmacro %}


{# The versions that a load read, for its record; none if the kind does not need them. #}
{% macro versions_read(run_context) %}
  {% do return({'versions': run_context.plan.versions} if run_context.plan.get('versions') is not none else none) %}
{% endmacro %}


{#
  The versions from which a model's next run starts: those that a later run noted, or else those that its last load
  read; none if there is no load or its record lacks them. Compactions once gave several loads one time: then the last
  interval's. Reads the store again if the run knows no details of that load.
#}
{% macro recorded_versions(options, load) %}
  {% if load is none %}
    {% do return(none) %}
  {% endif %}
  {% set note = dbt_kinds.last_note(options.relation) %}
  {% set noted = dbt_kinds.details_of(note).get('versions') if note is not none else none %}
  {% if noted is not none %}
    {% do return(noted) %}
  {% endif %}
  {% set known = dbt_kinds._last_load_at(load.recorded_at, dbt_kinds.events_of(options.relation)) %}
  {% set known = known if 'details' in known
    else dbt_kinds._last_load_at(load.recorded_at, dbt_kinds.read_log([options.relation])) %}
  {% do return(dbt_kinds.details_of(known).get('versions')) %}
{% endmacro %}


{# The last interval's load of a moment, empty if there is none. #}
{% macro _last_load_at(moment, events) %}
  {% set loads = events | selectattr('event', 'eq', 'loaded') | selectattr('recorded_at', 'eq', moment)
    | sort(attribute='interval_start') | list %}
  {% do return(loads[-1] if loads else {}) %}
{% endmacro %}


{# The names of the tables whose rows have changed since `then`, except those with an unknown version. `nodes` is what
   tables_read returns. #}
{% macro changed_tables(nodes, then, now) %}
  {% set changed = [] %}
  {% for name, version in (now.items() if then is not none else []) if version is not none %}
    {% do changed.append(name) if not dbt_kinds.is_same_version(nodes[name], then.get(name), version) %}
  {% endfor %}
  {% do return(changed) %}
{% endmacro %}


{# Plans a run that compares with its table, or that replaces it: which of the two, and why, is in plan.run_type and
   plan.reason. #}
{% macro plan_comparison(node, options, run) %}
  {% set latest = dbt_kinds.latest_load(run.loads) %}
  {% set model_hash = dbt_kinds.hash_of_run(options, run) %}
  {% do dbt_kinds.check_query_change(options, run.loads, run.settings, model_hash) %}
  {% set compared = model_hash if options.on_query_change == 'rebuild' else (latest or {}).get('model_hash') %}
  {% set type, reason = dbt_kinds.run_type(latest, run.settings.full_refresh, compared, {}, {}, []) %}
  {% set is_backfill = type == 'backfill' %}
  {% do return(dict(dbt_kinds.plan_whole(node, options, run), start_anew=is_backfill,
    run_type='backfill' if is_backfill else 'incremental',
    reason=type ~ ': ' ~ reason if is_backfill else 'incremental')) %}
{% endmacro %}


{# The text in dbt's status column for a run that did nothing. Pure. #}
{% macro idle_status(plan) %}
  {% do return(plan.reason if plan.get('run_type') == 'skip' else plan.run_type ~ ': 0 rows'
    if plan.get('run_type') in ['incremental', 'flush'] else 'OK waiting' if plan.waiting else 'OK up to date') %}
{% endmacro %}
