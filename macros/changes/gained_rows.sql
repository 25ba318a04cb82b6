{#
  The kind `append` with `capture: snapshot`: what a run reads, in plan.change_sets. It reads the rows that each
  captured table gained since the last run; look-ups are read in their current state, and their changes do not trigger a
  run. If the gain is unknown, all rows are replaced or the run fails; all rows are never appended to existing ones.
#}
{% macro plan_gained_rows(node, options, run) %}
  {% set plan, sql = dbt_kinds.plan_comparison(node, options, run), run.sql %}
  {% set captured = dbt_kinds.captured_tables(sql) %}
  {% if not captured %}
    {% do dbt_kinds.fail(options.model,
      "capture: snapshot, and the query reads no changes; write from {{ dbt_kinds.changes_of(ref('…')) }} for the table that is followed, set capture: cursor, "
      ~ 'or leave capture out to load intervals') %}
  {% elif dbt_kinds.is_partial_run() %}
    {% do return(plan) %}
  {% endif %}
  {% set nodes = dbt_kinds.tables_read(node, sql) %}
  {% set now = dbt_kinds.table_versions(node, nodes, sql) %}
  {% do dbt_kinds.check_captured(options, captured, now) %}
  {% set sets, problems = {}, [] %}
  {% if plan.run_type == 'incremental' %}
    {% set known = dbt_kinds.recorded_versions(options, dbt_kinds.latest_load(run.loads)) %}
    {% set then = known or {} %}
    {% for name in captured %}
      {% set change = dbt_kinds.change_since(nodes[name], then.get(name), now[name]) %}
      {% set bounds = dbt_kinds.gained_bounds(options, nodes[name], change, then.get(name), now[name], loop.index) %}
      {% do problems.append(['unknown' if known is none else change.state, name, then.get(name)]) if bounds is none
        else sets.update({name: bounds}) %}
    {% endfor %}
    {% if not problems %}
      {% set decided = dict(plan, versions=now, change_sets=sets) %}
      {% if dbt_kinds._gains_nothing(sets) and not dbt_kinds.has_rows_of_nothing(options, decided, nodes, sql) %}
        {% do return(dbt_kinds.with_nothing_to_do(decided, dbt_kinds.versions_to_note(captured, then, now))) %}
      {% endif %}
      {% do return(decided) %}
    {% endif %}
    {% set plan = dict(plan, start_anew=true, run_type='backfill',
      reason='backfill: ' ~ dbt_kinds._reason_to_reload(options, problems[0])) %}
  {% endif %}
  {% for name in captured %}
    {% do sets.update({name: [none, now[name].split(' ')[1]]}) %}
  {% endfor %}
  {% do return(dict(plan, versions=now, change_sets=sets)) %}
{% endmacro %}


{# The pair of snapshots, with the query of a feed if there is one, or the view, that shows the gained rows; none if
   neither does. #}
{% macro gained_bounds(options, node, change, then, now, number) %}
  {% set until = now.split(' ')[1] %}
  {% if change.state == 'same' %}
    {% do return([until, until]) %}
  {% elif change.state in ['gone', 'columns'] %}
    {% do return(none) %}
  {% endif %}
  {% set since = then.split(' ')[1] %}
  {% if change.is_appended %}
    {% do return([dbt_kinds._appended_view(options, node, since, until, number)]) %}
  {% endif %}
  {% do return([since, until] + change.feed if change.state == 'readable' else none) %}
{% endmacro %}


{# A view of the rows that append snapshots added, read from their files only. #}
{% macro _appended_view(options, node, since, until, number) %}
  {% set name = 'kinds_changes_' ~ local_md5(invocation_id ~ options.unique_id)[:12] ~ '_' ~ number %}
  {% call statement('view_changes') %}
create or replace temporary view {{ name }} using iceberg
options (path {{ dbt_kinds.text_literal(dbt_kinds.relation_of_node(node) | string | replace('`', '')) }},
  `start-snapshot-id` '{{ since }}', `end-snapshot-id` '{{ until }}')
  {% endcall %}
  {% do return(name) %}
{% endmacro %}


{# Drops the views that a plan reads changes from. #}
{% macro drop_appended_views(plan) %}
  {% for bounds in (plan.get('change_sets') or {}).values() if bounds | length == 1 %}
    {% call statement('drop_view') %}drop view if exists {{ bounds[0] }}{% endcall %}
  {% endfor %}
{% endmacro %}


{#
  Whether a query that calls the clock or chance has rows although nothing that it reads has changed. It is asked over
  empty change sets; one without change sets reads everything, and is not asked twice.
#}
{% macro has_rows_of_nothing(options, plan, nodes, sql) %}
  {% set varying = dbt_kinds.varying_call(nodes, sql) %}
  {% if varying is none %}
    {% do return(false) %}
  {% endif %}
  {% set query = dbt_kinds.substitute_window(sql, dbt_kinds.query_window(options, plan.batches[0]),
    plan.execution_time) %}
  {% set found = not plan.change_sets
    or run_query('select 1 from (\n' ~ dbt_kinds.with_change_sets(plan.change_sets, query) ~ '\n) limit 1').rows
    | length > 0 %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': nothing changed, but ' ~ varying ~ ', so the query runs', info=true)
    if found %}
  {% do return(found) %}
{% endmacro %}


{# Whether every table is still at the same version. #}
{% macro _gains_nothing(sets) %}
  {% for bounds in sets.values() if bounds | length == 1 or bounds[0] != bounds[1] %}
    {% do return(false) %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}


{# Why all rows are replaced, if the model allows it; otherwise the run fails here. #}
{% macro _reason_to_reload(options, problem) %}
  {% set state, name, then = problem[0], problem[1], problem[2] %}
  {% if state == 'columns' %}
    {% set option, reason, words = 'on_source_change', 'upstream schema changed: ' ~ name,
      'upstream schema changed: ' ~ name ~ ' has other columns than at the last run' %}
  {% elif state == 'incomparable' %}
    {% set option, reason = 'on_source_change', 'uncomparable: ' ~ name %}
    {% set words = name
      ~ ' has a column that Spark cannot compare, a map or a variant, and was changed by more than appends, '
      ~ 'so its new rows cannot be determined' %}
  {% elif state == 'unknown' %}
    {% set option, reason = 'on_lost_history', 'history is gone: ' ~ name %}
    {% set words = 'the record of the last load does not say which version of ' ~ name
      ~ ' it read, so its new rows cannot be determined; if the table has all of them, say so with '
      ~ "dbt run-operation dbt_kinds.adopt --args '{select: " ~ options.model ~ ", again: true, execute: true}'" %}
  {% else %}
    {% set option, reason = 'on_lost_history', 'history is gone: ' ~ name %}
    {% set words = ('snapshot ' ~ then.split(' ')[1] ~ ' of ' if then else 'what was read of ') ~ name
      ~ ' is gone, so its new rows cannot be determined' %}
  {% endif %}
  {% if options[option] == 'error' %}
    {% do dbt_kinds.fail(options.model,
      words ~ '; to replace all rows, use --full-refresh or ' ~ option ~ ': reload') %}
  {% elif config.get('full_refresh') is not none and not config.get('full_refresh') %}
    {% do dbt_kinds.fail(options.model,
      words ~ ', and full_refresh: false forbids replacing all rows; remove it for one run, or set ' ~ option
        ~ ': error') %}
  {% endif %}
  {% do return(reason) %}
{% endmacro %}
