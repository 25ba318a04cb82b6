{#
  What is said once beside a plan's reason: `{notes, told}`, texts, and the settings that the first batch's record keeps
  as told, or none. Nothing is said of a model that has nothing to do. That the query changed needs no such record,
  because the run that says so records the new one.
#}
{% macro plan_notes(options, plan, loads, settings, model_hash) %}
  {% if not plan.batches and not plan.waiting %}
    {% do return({'notes': [], 'told': none}) %}
  {% endif %}
  {% set notes, told = [], options.cron ~ ' ' ~ options.cron_tz ~ ' ' ~ options.unit.name %}
  {% set change = dbt_kinds._note_of_query(options, plan, loads, model_hash) %}
  {% do notes.append(change) if change is not none %}
  {% set early = dbt_kinds.early_ticks(options, plan.execution_time)
    if settings.start is none and settings.end is none and not settings.ignore_cron else none %}
  {% if early is none or dbt_kinds._was_told(options.relation, told) %}
    {% do return({'notes': notes, 'told': none}) %}
  {% endif %}
  {% do notes.append(early.is ~ ', so ' ~ early.leads_to ~ '; to load it at once, write ' ~ early.remedy) %}
  {% do return({'notes': notes, 'told': told}) %}
{% endmacro %}


{# Whether a run has recorded that it said so. #}
{% macro _was_told(relation, words) %}
  {% for event in dbt_kinds.events_of(relation)
      if event.event == 'loaded' and '"told"' in (event.get('details') or '') %}
    {% if dbt_kinds.details_of(event).get('told') == words %}{% do return(true) %}{% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{# For a run that goes on with another query than the last one: what keeps the old one, and how to load it again. #}
{% macro _note_of_query(options, plan, loads, model_hash) %}
  {% set is_rebuilt = options.on_query_change == 'rebuild' and not options.disable_restatement %}
  {% if is_rebuilt or model_hash is none or plan.start_anew or not plan.batches
      or not dbt_kinds.is_another_query(loads, model_hash) %}
    {% do return(none) %}
  {% endif %}
  {% set others = [] %}
  {% for load in loads if load.model_hash and load.model_hash != model_hash %}
    {% do others.append([load.start, load.end]) %}{% endfor %}
  {% set units = dbt_kinds.covered_units(dbt_kinds.subtract_intervals(dbt_kinds.merge_intervals(others), plan.batches),
    options.unit, plan.end) %}
  {% set number, name = dbt_kinds.count_units(units),
    options.unit.name if dbt_kinds.matches('[a-z]+', options.unit.name) else 'interval' %}
  {% if number == 0 %}
    {% do return(none) %}
  {% endif %}
  {% do return('query changed: ' ~ dbt_kinds.counted(number, 'loaded ' ~ name ~ ' keeps', 'loaded ' ~ name ~ 's keep')
    ~ ' the old one'
    ~ dbt_kinds.way_to_reload(options, dbt_kinds.as_instants(units, options.unit, plan.end))) %}
{% endmacro %}


{#
  What a run that goes on with the rows that are there leaves as it is, beyond plan_notes: under `capture` those of
  another query; and NULL in columns that the query gained though its text did not change, as by `select *`, unless
  their values are given. Kinds that compare rows write them again.
#}
{% macro notes_of_rows(node, run_context) %}
  {% set options, plan, names = run_context.options, run_context.plan, [] %}
  {% if not plan.batches or plan.start_anew or not plan.recorded or 'query changed: ' in plan.notes | join
      or options.traits.compares_rows %}
    {% do return([]) %}
  {% elif options.get('capture') is not none
      and dbt_kinds.is_another_query(dbt_kinds.loads_of(options.relation), run_context.model_hash) %}
    {% do return(['query changed: rows that are there keep the old one'
      ~ dbt_kinds.way_to_reload(options, plan.recorded)]) %}
  {% endif %}
  {% for change in run_context.write_spec.schema_changes if change.change == 'add' and change.path | length == 1 %}
    {% do names.append(change.path[0]) if dbt_kinds.backfill_of(node, change.path[0]) is none %}
  {% endfor %}
  {% do return(['rows that are there hold NULL in the new ' ~ ('column ' if names | length == 1 else 'columns ')
    ~ names | join(', ') ~ dbt_kinds.way_to_reload(options, plan.recorded)] if names else []) %}
{% endmacro %}


{# How to load intervals again, for the end of a message: nothing for a history, which its source may no longer have.
   Pure. #}
{% macro way_to_reload(options, intervals) %}
  {% if options.traits.has_merge_timeline %}
    {% do return('') %}
  {% elif options.traits.blocks_full_refresh %}
    {% do return('; to load them again, set disable_restatement: false and run with --full-refresh') %}
  {% elif options.traits.filters_by_time %}
    {% do return("; reload them with --vars '{kinds_start: " ~ intervals[0][0] ~ ', kinds_end: ' ~ intervals[-1][1]
      ~ "}'") %}
  {% endif %}
  {% do return('; reload them with --full-refresh') %}
{% endmacro %}


{#
  Whether the last run had another query. A query that has differed in each of the last three runs differs in every run,
  as with run_started_at in its text, so that saying so tells nothing. Pure.
#}
{% macro is_another_query(loads, model_hash) %}
  {% set hashes, times = [], [] %}
  {% for load in loads | sort(attribute='recorded_at') | list | reverse
      if load.execution_time not in times and hashes | length < 3 %}
    {% do times.append(load.execution_time) %}
    {% do hashes.append(load.model_hash) %}
  {% endfor %}
  {% do return(hashes != [] and hashes[0] not in ['', none, model_hash] and hashes | unique | list | length < 3) %}
{% endmacro %}
