{# Logs a run's plan, with a hint at adopt if it would reload a table that was filled by other means. #}
{% macro log_plan(run_context) %}
  {% set options, plan = run_context.options, run_context.plan %}
  {% set note = plan.notes | join('; ') or none %}
  {% if plan.batches %}
    {% set plan_with_notes = dict(plan, notes=plan.notes + dbt_kinds.notes_of_rows(model, run_context)) %}
    {% set note = dbt_kinds.note_of_plan(options, plan_with_notes,
      dbt_kinds.is_filled(options, plan, run_context.get('existed', false), this)) %}
  {% endif %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ plan.reason ~ ('; ' ~ note if note is not none else ''),
    info=plan.batches != [] or plan.waiting != [] or 'late data' in plan.reason) %}
  {% do dbt_kinds._warn_of_lost_history(options, plan) if plan.get('lost') %}
{% endmacro %}


{# Warns of units whose sources no longer show what changed since they were loaded; they are not reloaded unless
   requested. #}
{% macro _warn_of_lost_history(options, plan) %}
  {% for relation, units in plan.get('lost', {}).items() if options.late_data.on_lost_history == 'warn' %}
    {% set suspect = dbt_kinds.as_instants(units, options.unit, plan.end) %}
    {% do dbt_kinds.warn(options.model,
      'the history of ' ~ relation ~ ' is gone, so changes of it cannot be determined for '
      ~ dbt_kinds.counted(dbt_kinds.count_units(units), 'unit', 'units') ~ ' between ' ~ suspect[0][0] ~ ' and '
      ~ suspect[-1][1]
      ~ '; reload them with kinds_start and kinds_end, or set on_lost_history: reload next to auto') %}
  {% endfor %}
{% endmacro %}


{# Whether a table has a row. #}
{% macro has_rows(relation) %}
  {% do return(run_query('select 1 from ' ~ relation ~ ' limit 1').rows | length > 0) %}
{% endmacro %}


{# Whether a first load finds a table with rows: a run that failed may have left it empty. #}
{% macro is_filled(options, plan, is_there, relation) %}
  {% do return(is_there and dbt_kinds._could_be_adopted(options, plan) and dbt_kinds.has_rows(relation)) %}
{% endmacro %}


{# Whether a plan is the first load of a kind whose tables adopt can take over. Pure. #}
{% macro _could_be_adopted(options, plan) %}
  {% if plan.batches == [] or options.traits.has_merge_timeline %}
    {% do return(false) %}
  {% elif options.get('capture') is not none %}
    {% do return(plan.reason in ['first load', 'backfill: first run']) %}
  {% endif %}
  {% do return(plan.reason == 'first load' and not options.traits.ignores_intervals) %}
{% endmacro %}


{# What is said beside the reason; for a first load over an existing table, that its intervals can be recorded instead.
   None if there is nothing to say. Pure. #}
{% macro note_of_plan(options, plan, is_there) %}
  {% set notes = plan.get('notes', []) | list %}
  {% if is_there and dbt_kinds._could_be_adopted(options, plan) %}
    {% do notes.append('the table is there and nothing is recorded of it, so all of it is loaded again; to record what it holds instead: '
      ~ "dbt run-operation dbt_kinds.adopt --args '{select: " ~ options.model ~ "}'") %}
  {% endif %}
  {% do return(notes | join('; ') or none) %}
{% endmacro %}


{#
  Reports that a requested window cannot be loaded: a warning if none of it can, because the run will report that all is
  up to date; a log line if a part of it cannot. Warns of what is loaded although it is not ready, and of intervals of a
  history that the window leaves out.
#}
{% macro report_window(options, plan, settings) %}
  {% set asked = settings.start ~ ' to ' ~ settings.end %}
  {% for words in plan.get('unready', []) %}
    {% do dbt_kinds.warn(options.model, words ~ ', but the window is loaded anyway') %}
  {% endfor %}
  {% if plan.get('skipped') is not none %}
    {% do dbt_kinds.warn(options.model, 'the window leaves out ' ~ plan.skipped[0] ~ ' to ' ~ plan.skipped[1]
      ~ ', which can no longer be merged once the window is: the next run without a window is refused until the model is restated from ' ~ plan.skipped[0]
      ~ '; to load everything in order, drop kinds_start, or pass kinds_start: ' ~ plan.skipped[0]) %}
  {% endif %}
  {% if settings.start is not none and plan.to_go %}
    {% do dbt_kinds.warn(options.model,
      'max_batches leaves ' ~ dbt_kinds.counted(plan.to_go, 'batch', 'batches')
        ~ ' of the window unloaded; to continue, pass kinds_start: '
        ~ plan.batches[-1][1]) %}
  {% endif %}
  {% if settings.start is none or settings.end is none or options.traits.ignores_intervals %}
    {% do return(none) %}
  {% elif plan.start is none %}
    {% do dbt_kinds.warn(options.model, 'nothing of the window ' ~ asked ~ ' can be loaded: ' ~ plan.reason
      ~ ', the range from the start of the model to its last complete interval') %}
  {% elif plan.start > settings.start or plan.end < settings.end %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': the window ' ~ asked ~ ' is cut to ' ~ plan.start ~ ' to ' ~ plan.end
      ~ ', the complete intervals of the model', info=true) %}
  {% endif %}
{% endmacro %}


{% macro log_batch(options, plan, number, rows_written, seconds, spent) %}
  {% set start, end = plan.batches[number - 1] %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': batch ' ~ number ~ ' of ' ~ plan.batches | length
    ~ ', ' ~ start ~ ' to ' ~ end ~ ': '
    ~ (dbt_kinds.counted(rows_written, 'row', 'rows') if rows_written is not none else 'written')
    ~ ' in ' ~ '%.1f' | format(seconds) ~ ' s' ~ dbt_kinds.time_left(spent, number, plan.batches | length),
    info=true) %}
{% endmacro %}


{# For a run of more than 20 batches, from its third on: `, ~4 min left`, at the pace so far. Otherwise an empty string.
   Pure. #}
{% macro time_left(spent, number, batches) %}
  {% if batches <= 20 or number < 3 or number == batches %}
    {% do return('') %}
  {% endif %}
  {% set seconds = spent / number * (batches - number) %}
  {% set length, unit = [86400, 'd'] if seconds >= 82080 else [3600, 'h'] if seconds >= 3420 else [60, 'min']
    if seconds >= 57 else [1, 's'] %}
  {% set rounded = (seconds / length + 0.5) | int %}
  {% do return(', ~' ~ (rounded if rounded > 1 else 1) ~ ' ' ~ unit ~ ' left') %}
{% endmacro %}


{# The text in dbt's status column, with the number of rows where the run knows it: often only the record does, which
   counts them. #}
{% macro run_status(run_context, written) %}
  {% if not written %}
    {% do return('flush: 0 rows' if run_context.plan.get('run_type') == 'flush' else 'OK waiting'
      if run_context.plan.waiting and not run_context.plan.batches else 'OK nothing loaded') %}
  {% endif %}
  {% set rows = dbt_kinds.rows_of_batches(written) %}
  {# a run driven by changes says how many it found #}
  {% set rows = dbt_kinds.rows_of_write(written[-1]) if rows is none and run_context.plan.get('run_type') else rows %}
  {% set told = dbt_kinds.counted(rows, 'row', 'rows') if rows is not none else '' %}
  {% set to_go = ', ' ~ dbt_kinds.thousands(run_context.plan.to_go) ~ ' to go' if run_context.plan.get('to_go')
    else '' %}
  {% if run_context.plan.get('run_type') %}
    {% do return(run_context.plan.reason ~ (': ' if run_context.plan.run_type in ['incremental', 'flush'] else ', ')
      ~ told) %}
  {% endif %}
  {% do return('OK ' ~ dbt_kinds.counted(written | length, 'batch', 'batches') ~ to_go
    ~ (', ' ~ told if told else '')) %}
{% endmacro %}


{# The number of rows that a run wrote, none if it does not know. Pure. #}
{% macro rows_of_batches(written) %}
  {% do return(none if written | selectattr('rows_written', 'none') | list
    else written | map(attribute='rows_written') | sum) %}
{% endmacro %}


{# A count as text: `1 row`, `2 rows`. Pure. #}
{% macro counted(number, one, many) %}
  {% do return(dbt_kinds.thousands(number) ~ ' ' ~ (one if number == 1 else many)) %}
{% endmacro %}
