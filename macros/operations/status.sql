{#
  The intervals that every model's table has and lacks as of the execution time, who is writing it, and how its last run
  ended. With `max_age` also what should have been loaded longer ago; the operation then fails if there is any, if it is
  to.
#}
{% macro status(select=none, max_age=none, raises=false) %}
  {% if raises and max_age is none %}
    {% do dbt_kinds.fail('the operation status',
      'raises needs max_age: the age from which on an interval that is not loaded is late, such as max_age: 26 hours') %}
  {% endif %}
  {% set nodes = dbt_kinds.selected_models(select) %}
  {% set age = none if max_age is none else dbt_kinds.seconds_of_duration('the operation status', 'max_age', max_age) %}
  {% set events = dbt_kinds.read_last_runs() if nodes else [] %}
  {% set audited = dbt_kinds.read_audits(nodes) %}
  {% set last_runs, leases = {}, {} %}
  {% for run in dbt_kinds.runs_in_log(events) if run.source in ['run', 'ahead'] %}
    {% do last_runs.setdefault(run.relation, run) if run.source == 'run' %}
    {% do dbt_kinds._add_lease(leases, run, events) if run.ended_at is none %}
  {% endfor %}
  {% set models = [] %}
  {% for node in nodes %}
    {% set options = dbt_kinds.options_of(node) %}
    {% set recorded = dbt_kinds.recorded_coverage(node) %}
    {% set entry = {
      'model': node.unique_id, 'relation': options.relation, 'kind': options.kind, 'unit': options.unit.name,
      'start': none, 'end': none, 'recorded': recorded, 'missing': none,
      'reason': 'no start is set and nothing is recorded',
      'invalidated': dbt_kinds._taken_back(options.relation, recorded) if dbt_kinds.table_exists(node) else [],
      'waiting': [], 'late_units': 0, 'late_since': none, 'waiting_units': 0, 'waiting_since': none,
      'lease': leases.get(options.relation), 'last_run': last_runs.get(options.relation),
      'audits': dbt_kinds.audits_in_log(options.relation, audited) if options.audits else none,
      'partitions': dbt_kinds._partitions_said(node, options),
    } %}
    {% if recorded or options.start is not none %}
      {% set settings = dict(dbt_kinds.run_settings(node.name), start=none, end=none, asks_sources=false) %}
      {% do dbt_kinds.say_what_is_looked_at(options) %}
      {% set plan = dbt_kinds.plan_of(node, options, settings) %}
      {% do entry.update({'start': plan.start, 'end': plan.end, 'missing': plan.missing, 'waiting': plan.waiting,
        'reason': plan.reason}) %}
      {% do entry.update(dbt_kinds.waiting_since(plan.waiting, options.unit)) %}
      {% do entry.update(dbt_kinds.overdue_units(plan, options.unit, age)) if age is not none %}
    {% endif %}
    {% do models.append(entry) %}
  {% endfor %}
  {% set execution_time = dbt_kinds.run_settings('').execution_time %}
  {% do dbt_kinds.print_answer('status', {'execution_time': execution_time, 'models': models}) %}
  {% do dbt_kinds._fail_if_late(models, max_age) if raises %}
{% endmacro %}


{% macro _fail_if_late(models, max_age) %}
  {% set late = [] %}
  {% for entry in models if entry.get('late_units') %}
    {% do late.append(entry.model.split('.')[-1] ~ ' ('
      ~ dbt_kinds.counted(entry.late_units, entry.unit, entry.unit ~ 's') ~ ', since ' ~ entry.late_since ~ ')') %}
  {% endfor %}
  {% if late %}
    {% do exceptions.raise_compiler_error('dbt_kinds: late by more than ' ~ max_age ~ ': ' ~ late | join(', ')) %}
  {% endif %}
{% endmacro %}


{# The units of a plan that ended longer than `age` seconds before its execution time and are not loaded: how many, and
   the end of the first one. Pure. #}
{% macro overdue_units(plan, unit, age) %}
  {% set moment = modules.datetime.datetime.fromisoformat(plan.execution_time)
    - modules.datetime.timedelta(seconds=age) %}
  {% set lacking, counts, ends = plan.missing | list, [], [] %}
  {% for wait in plan.waiting %}{% do lacking.append([wait.start, wait.end]) %}{% endfor %}
  {% for start, end in dbt_kinds.merge_intervals(lacking) %}
    {% set first = dbt_kinds.unit_index(start, unit) %}
    {% set over = [dbt_kinds.unit_index_after(end, unit), dbt_kinds.unit_index(moment.isoformat(), unit)]
      | min - first %}
    {% do counts.append(over) if over > 0 %}
    {% do ends.append(dbt_kinds.unit_start(first + 1, unit)) if over > 0 %}
  {% endfor %}
  {% do return({'late_units': counts | sum, 'late_since': ends | min if ends else none}) %}
{% endmacro %}


{# How many units wait, and since when: from the end of the first one on, it could have been loaded. Pure. #}
{% macro waiting_since(waiting, unit) %}
  {% set units = [] %}
  {% for wait in waiting %}
    {% do units.append([dbt_kinds.unit_index(wait.start, unit), dbt_kinds.unit_index_after(wait.end, unit)]) %}
  {% endfor %}
  {% do return({
    'waiting_units': dbt_kinds.count_units(dbt_kinds.merge_intervals(units)),
    'waiting_since': [dbt_kinds.unit_start(units[0][0] + 1, unit), waiting[0].end] | min if waiting else none,
  }) %}
{% endmacro %}


{# The intervals that were loaded, then withdrawn and not loaded since. #}
{% macro _taken_back(relation, recorded) %}
  {% set once = [] %}
  {% for event in dbt_kinds.events_of(relation) if event.event == 'loaded' %}
    {% do once.append([event.interval_start, event.interval_end]) %}
  {% endfor %}
  {% do return(dbt_kinds.subtract_intervals(dbt_kinds.merge_intervals(once), recorded)) %}
{% endmacro %}


{# Adds the claim of a run that has not ended to `leases`, by relation. Runs of disjoint windows may hold several of one
   table: the first is told, with what all of them load. #}
{% macro _add_lease(leases, run, events) %}
  {% set lease, known = dbt_kinds._lease_of(run, events), leases.get(run.relation) %}
  {% if known is none %}
    {% do leases.update({run.relation: lease}) %}
  {% elif lease is not none and lease.is_live and known.is_live %}
    {% do known.update({'running': dbt_kinds.merge_intervals(known.running + lease.running)}) %}
  {% endif %}
{% endmacro %}


{# The claim of a run that has not ended, or none; `running` is what it planned to load and has not recorded. #}
{% macro _lease_of(run, events) %}
  {% for claim in dbt_kinds.open_claims(events)
      if claim.invocation_id == run.invocation_id and claim.relation == run.relation %}
    {% set is_live = run.state == 'running' %}
    {% set loaded = [] %}
    {% for batch in run.loaded %}
      {% do loaded.append([batch.start, batch.end]) %}
    {% endfor %}
    {% set running = [claim.interval] if is_live and claim.interval is not none else [] %}
    {% do return({
      'invocation_id': claim.invocation_id, 'claimed_at': claim.claimed_at,
      'last_sign_of_life': claim.last_sign_of_life,
      'expires_at': claim.expires_at, 'holder': claim.holder, 'is_live': is_live,
      'running': dbt_kinds.subtract_intervals(running, dbt_kinds.merge_intervals(loaded)),
    }) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# How the table's partitions differ from partition_by. Asks Spark only about models that set it. #}
{% macro _partitions_said(node, options) %}
  {% if not options.partition_by or not dbt_kinds.table_exists(node) %}
    {% do return(none) %}
  {% endif %}
  {% do return(dbt_kinds.differing_partitions(options,
    dbt_kinds.table_facts(dbt_kinds.relation_of_node(node)).partitioning)) %}
{% endmacro %}
