{#
  The planners that a kind's record names: `(node, options, run)` -> the whole plan, which nobody changes afterwards.
  `run` is what a run begins with, see begun_run.
  Those of kinds that go by changes are in changes/ and ingest/. `plan` and `gates` are described in
  docs/how-it-works.md.
#}


{# The intervals that are missing or to be loaded again, with late data from the sources, and without the units whose
   sources are not complete. #}
{% macro plan_by_intervals(node, options, run) %}
  {% set idle = dbt_kinds.plan_of_nothing_due(node, options, run) %}
  {% if idle is not none %}{% do return(idle) %}{% endif %}
  {% do dbt_kinds.check_ready_until(node, options) if options.ready_until is not none %}
  {% set model_hash = dbt_kinds.hash_of_run(options, run) %}
  {% set parents = dbt_kinds.followed_parents(node, options, run.sql, run.loads != []) %}
  {% set gates = dbt_kinds.awaited_parents(node, options, run.sql) %}
  {% set found = dbt_kinds.late_data(node, options, run.loads, run.settings, run.sql, parents) %}
  {% set plan = dbt_kinds.plan_intervals(options, run.loads, run.settings, model_hash, parents, gates, found.late) %}
  {% if dbt_kinds._asks_readiness(options, run, plan) %}
    {% set gates = [dbt_kinds.ready_until(node, options)] + gates %}
    {% set plan = dbt_kinds.plan_intervals(options, run.loads, run.settings, model_hash, parents, gates, found.late) %}
  {% endif %}
  {% set note = dbt_kinds.snapshots_to_note(options, plan, found.sources)
    if run.is_there and not plan.batches and found.sources else none %}
  {% do return(dict(plan, sources=found.sources, note=note,
    **dbt_kinds.plan_notes(options, plan, run.loads, run.settings, model_hash))) %}
{% endmacro %}


{# The merges that are missing, each after the one before. #}
{% macro plan_by_merges(node, options, run) %}
  {% set idle = dbt_kinds.plan_of_nothing_due(node, options, run) %}
  {% if idle is not none %}{% do return(idle) %}{% endif %}
  {% do dbt_kinds.check_ready_until(node, options) if options.ready_until is not none %}
  {% set gates = dbt_kinds.awaited_parents(node, options, run.sql) %}
  {% set batches, model_hash = dbt_kinds.recorded_batches(options) if run.is_there else [],
    dbt_kinds.hash_of_run(options, run) %}
  {% set plan = dbt_kinds.plan_history(options, run.loads, run.settings, model_hash, batches, gates) %}
  {% if dbt_kinds._asks_readiness(options, run, plan) %}
    {% set gates = [dbt_kinds.ready_until(node, options)] + gates %}
    {% set plan = dbt_kinds.plan_history(options, run.loads, run.settings, model_hash, batches, gates) %}
  {% endif %}
  {% do return(dict(plan, sources=[], note=none,
    **dbt_kinds.plan_notes(options, plan, run.loads, run.settings, model_hash))) %}
{% endmacro %}


{# Everything, in every run. #}
{% macro plan_whole(node, options, run) %}
  {% do return(dbt_kinds.plan_everything(options, run.loads, run.settings)) %}
{% endmacro %}


{# The query of ready_until only runs if something would be loaded for the first time, or if a window is requested,
   which it does not hold back. Pure. #}
{% macro _asks_readiness(options, run, plan) %}
  {% do return(options.ready_until is not none
    and (plan.missing or plan.lookback or plan.waiting or run.settings.start is not none)) %}
{% endmacro %}


{# A plan of everything, of which nothing is to be read after all; it may note what it saw. Pure. #}
{% macro with_nothing_to_do(plan, note) %}
  {% do return(dict(plan, batches=[], missing=[], restated=[], note=note)) %}
{% endmacro %}
