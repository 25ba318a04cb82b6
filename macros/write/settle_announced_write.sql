{#
  Finds out what happened to a write that a run announced and did not record, and completes it. Returns the settings
  with which the run continues, none if nothing was announced. A full refresh replaces everything in any case, and
  invalidate_all closes it.
#}
{% macro settle_announced_write(options, settings) %}
  {% set pending = dbt_kinds.open_write(options.relation) %}
  {% set details = dbt_kinds.details_of(pending) if pending is not none else none %}
  {% set rebuild_from = details.get('rebuild_from') if details is not none else none %}
  {% if details is none or (settings.full_refresh and not (rebuild_from and options.start is none)) %}
    {% do return(none) %}
  {% elif rebuild_from %}
    {% do return(dict(settings, rebuild_from=rebuild_from)) %}
  {% endif %}
  {% set is_there = dbt_kinds.relation_type(this, refresh=true) == 'table' %}
  {% if details.write == 'restate' and is_there %}
    {# its announcement stays open until the first batch after it is recorded #}
    {% do log('dbt_kinds: ' ~ options.model ~ ': a run that died was restating from ' ~ details.restatement['from']
      ~ '; the table is put back to before that', info=true) %}
    {% set allowed = details.restatement.get('may_be_approximate') or settings.allow_approximate_restatement %}
    {% do dbt_kinds.restore_table(this, options, dict(details.restatement, may_be_approximate=allowed)) %}
    {% do return(settings) %}
  {% elif details.write == 'backfill' %}
    {% set outcome = dbt_kinds._backfill_again(details) %}
  {% elif details.write == 'stage' %}
    {% set outcome = dbt_kinds._finish_staged_write(options, pending, details) %}
  {% elif not is_there %}
    {% set outcome = none %}
  {% elif not dbt_kinds.is_file_format(options.file_format) %}
    {% set outcome = dbt_kinds._find_appended_snapshot(options, pending, details) %}
  {% else %}
    {% set outcome = dbt_kinds._take_back_files(options, pending, details) %}
  {% endif %}
  {% if outcome is none %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': a run that died had not written ' ~ pending.interval_start ~ ' to '
      ~ pending.interval_end, info=true) %}
    {% do dbt_kinds.close_announced_write(options) %}
  {% elif pending.interval_start < pending.interval_end %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': a run that died had written ' ~ pending.interval_start ~ ' to '
      ~ pending.interval_end
      ~ ' and not recorded it', info=true) %}
    {% do dbt_kinds.append_events(options, [dict(dbt_kinds.announced_load(pending), **outcome)]) %}
  {% else %}
    {% do dbt_kinds.close_announced_write(options) %}
  {% endif %}
  {% do dbt_kinds.drop_stages(this) %}
  {% do dbt_kinds.drop_left_stages(this) %}
  {% do return(settings) %}
{% endmacro %}


{#
  The snapshot created by an append, among those after the one it started from, or none. No other run of this package
  writes the table meanwhile, but a person may, so several snapshots of the same Spark application are ambiguous.
#}
{% macro _find_appended_snapshot(options, pending, details) %}
  {% set since = dbt_kinds.snapshots_since(this, options.file_format, pending.get('snapshot_id')) %}
  {% set appended = [] %}
  {% for snapshot in since or []
      if snapshot.operation in (['append'] if details.write == 'append' else ['append', 'overwrite', 'delete'])
      and snapshot.get('application') in [none, details.application] %}
    {% do appended.append(snapshot) %}
  {% endfor %}
  {# a captured append announces its number of rows: with any other change since then it remains in doubt #}
  {% set others = since | rejectattr('operation', 'eq', 'replace') | list
    if since is not none and details.get('rows') is not none and details.write == 'append' else [] %}
  {% if since is none or appended | length > 1 or others | length > 1
      or (others and others[0].rows_written not in [none, details.rows]) %}
    {% set args = "--args '{select: " ~ options.model ~ ', start: ' ~ pending.interval_start ~ ', end: '
      ~ pending.interval_end ~ "}'" %}
    {% if options.traits.accumulates %}
      {% do dbt_kinds.fail(options.model,
        'the interval ' ~ pending.interval_start ~ ' to ' ~ pending.interval_end
          ~ ' is in doubt: a run died while it merged it into '
          ~ options.relation ~ ', and the snapshots of that table do not tell whether it had done so ('
        ~ ('snapshot ' ~ pending.get('snapshot_id') ~ ' has expired' if since is none
        else appended | length ~ ' writes since')
        ~ '); an interval can be merged only once, so rebuild the table with --full-refresh, or, if you can tell, state it: dbt run-operation '
        ~ 'dbt_kinds.record ' ~ args ~ ' if it is merged, dbt_kinds.forget with the same if it is not') %}
    {% endif %}
    {% do dbt_kinds.fail(options.model,
      'the table is in doubt: a run died while it appended ' ~ pending.interval_start ~ ' to ' ~ pending.interval_end
        ~ ' to ' ~ options.relation
        ~ ', and its snapshots do not tell whether it had done so ('
      ~ ('snapshot ' ~ pending.get('snapshot_id') ~ ' has expired' if since is none
      else (others or appended) | length ~ ' writes since')
      ~ '); look whether the rows are there, and state it: dbt run-operation dbt_kinds.record ' ~ args
      ~ ' if they are, dbt_kinds.forget with the same if they are not') %}
  {% elif appended %}
    {% do return({'rows_written': details.get('rows', appended[0].rows_written),
      'snapshot_id': appended[0].snapshot_id}) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# Files are written one by one, so some may exist: they are removed by rewriting the table without them. #}
{% macro _take_back_files(options, pending, details) %}
  {% set is_ours = dbt_kinds.is_newer_than(details.newest_file) %}
  {% if run_query('select 1 from ' ~ this ~ ' where ' ~ is_ours ~ ' limit 1').rows | length %}
    {% set existing = dbt_kinds.describe_table(this) %}
    {% set write_spec = {
      'model': options.model, 'columns': dbt_kinds.quoted_names(existing.columns),
      'partition_columns': dbt_kinds.quoted_names(existing.partitioning),
    } %}
    {% set without = 'select * from ' ~ this
      ~ ('' if details.newest_file is none else ' where not (' ~ is_ours ~ ')') %}
    {% set stage = dbt_kinds.stage(this, 'whole',
      dbt_kinds.filtered_query(without, 'false' if details.newest_file is none else 'true')) %}
    {% do dbt_kinds.append_events(options, [{
      'event': 'pending', 'interval_start': pending.interval_start, 'interval_end': pending.interval_start,
      'details': {'write': 'stage', 'stage': stage.identifier, 'partitioning': existing.partitioning},
    }]) %}
    {% do dbt_kinds.overwrite_from_stage(this, write_spec, stage) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The columns may exist, filled or not; missing ones will be added and filled by this run. #}
{% macro _backfill_again(details) %}
  {% set columns = dbt_kinds.describe_table(this).columns if dbt_kinds.relation_type(this) == 'table' else [] %}
  {% set backfills = {} %}
  {% for column, expression in details.columns.items() if dbt_kinds.find_column(columns, column) is not none %}
    {% do backfills.update({column: expression}) %}
  {% endfor %}
  {% do dbt_kinds.backfill_columns(this, backfills) if backfills %}
  {% do return({}) %}
{% endmacro %}


{# A complete new table is staged; the table itself may be incomplete or missing. #}
{% macro _finish_staged_write(options, pending, details) %}
  {% set stage = this.incorporate(path={'identifier': details.stage}) %}
  {% if dbt_kinds.relation_type(stage) != 'table' %}
    {% do dbt_kinds.fail(options.model,
      'a run died while it replaced the rows of ' ~ options.relation ~ ' by those of ' ~ stage
      ~ ', and that table is gone; rebuild the model with --full-refresh') %}
  {% endif %}
  {% do dbt_kinds.put_stage_in_place(this, options, stage, details.partitioning) %}
  {% do return({}) %}
{% endmacro %}
