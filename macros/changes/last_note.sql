{#
  What the last run noted that had nothing to write, as a row of the store: its `recorded_at`, its `execution_time`, and
  what it saw in its `details`. none if anything was recorded of the table since. A note is no load: of a Parquet or ORC
  table the last load is the version, and readers run when it changes.
#}
{% macro last_note(relation) %}
  {% set recorded = dbt_kinds.events_of(relation) | map(attribute='recorded_at') | list %}
  {% do return(dbt_kinds.note_after(recorded | max if recorded else '', dbt_kinds.log_of(relation).rows)) %}
{% endmacro %}


{# The newest note in a log, if it is newer than a moment. Pure. #}
{% macro note_after(moment, rows) %}
  {% set notes = dbt_kinds.notes_among(rows) | selectattr('recorded_at', 'gt', moment) | sort(attribute='recorded_at')
    | list %}
  {% do return(notes[-1] if notes else none) %}
{% endmacro %}


{#
  The notes in a log. They go by `settled`, which is no load to any version of this package: an older one cannot read a
  row of an event that it does not know. The source tells it from one that closes an announced write; a run has none
  that is open when it notes. Pure.
#}
{% macro notes_among(rows) %}
  {% do return(rows | selectattr('event', 'eq', 'settled') | selectattr('source', 'eq', 'noted') | list) %}
{% endmacro %}


{# The same in SQL. Pure. #}
{% macro is_note_sql() %}
  {% do return("(event = 'settled' and source = 'noted')") %}
{% endmacro %}


{# What a plan without batches notes: the versions of some tables, if they are not those that are recorded, though the
   rows are the same: the recorded ones may expire. Else none. #}
{% macro versions_to_note(names, then, now) %}
  {% for name in names if then.get(name) != now[name] and not dbt_kinds.is_partial_run() %}
    {% do return({'details': {'versions': now}}) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# What a run notes whose last write found nothing to write. Pure. #}
{% macro note_of_writes(written) %}
  {% set last = written[-1] if written else {} %}
  {% do return({'details': last.details} if last.get('is_idle') and 'details' in last else none) %}
{% endmacro %}


{# Ends a run's lease, and notes in the same append what it saw if it wrote nothing. If it dies before, the next run
   sees the same again. #}
{% macro release_with_note(options, execution_time, note) %}
  {% do dbt_kinds.assert_lease(options) if note is not none %}
  {% do dbt_kinds.release_lease_of(options,
    also=[dict(note, event='settled', source='noted', execution_time=execution_time)] if note is not none else []) %}
{% endmacro %}
