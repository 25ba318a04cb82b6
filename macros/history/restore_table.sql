{# Checks before anything is written that the restatement of kinds_start is possible. #}
{% macro check_can_restore(options, plan) %}
  {% do dbt_kinds._restoring_snapshot(this, options, plan.restatement) %}
{% endmacro %}


{# Withdraws the records from the restatement's instant on and announces it in the store, before the table is
   restored. #}
{% macro begin_restatement(relation, run_context) %}
  {% set options, plan = run_context.options, run_context.plan %}
  {% set restatement = plan.restatement %}
  {% set interval = {'interval_start': restatement.taken_back[0], 'interval_end': restatement.taken_back[1],
    'execution_time': plan.execution_time} %}
  {% set announced = {'write': 'restate', 'restatement': restatement} %}
  {% do dbt_kinds.append_events(options, [
    dict(interval, event='invalidated', details={'restated_from': restatement['from']}),
    dict(interval, event='pending', details=announced),
  ]) %}
  {% do dbt_kinds.restore_table(relation, options, restatement) %}
{% endmacro %}


{#
  Restores the table to its state before the first batch that a restatement withdraws: from the snapshot left by the
  previous batch, or, if there is none, by the values of valid_from and valid_to. Idempotent.
#}
{% macro restore_table(relation, options, restatement) %}
  {% set existing = dbt_kinds.describe_table(relation) %}
  {% set snapshot_id = dbt_kinds._restoring_snapshot(relation, options, restatement) %}
  {% if snapshot_id is not none %}
    {% set before = 'select * from ' ~ relation ~ ' version as of ' ~ snapshot_id %}
    {% set sql = dbt_kinds.filtered_query(before, 'true',
      dbt_kinds.selected_columns(dbt_kinds.describe_query(before), existing.columns)) %}
  {% else %}
    {% set sql = dbt_kinds.history_before(relation, options, existing, restatement.bound) %}
  {% endif %}
  {% if dbt_kinds.supports_snapshots(options.file_format) %}
    {% call statement('restore_table') %}
insert into {{ relation }} replace where true
{{ sql }}
    {% endcall %}
  {% else %}
    {% set stage = dbt_kinds.stage(relation, 'history', sql, relation) %}
    {% set start = restatement.taken_back[0] %}
    {% set announced = {'write': 'stage', 'stage': stage.identifier, 'partitioning': existing.partitioning} %}
    {% do dbt_kinds.assert_lease(options) %}
    {% do dbt_kinds.append_events(options,
      [{'event': 'pending', 'interval_start': start, 'interval_end': start, 'details': announced}]) %}
    {% do dbt_kinds.replace_by_stage(relation, options, stage, existing.partitioning, existing, existing.columns) %}
    {% do dbt_kinds.close_announced_write(options) %}
    {% do dbt_kinds.drop_stage(relation, stage) %}
  {% endif %}
{% endmacro %}


{# SQL: the table without the versions that begin at or after an instant, with those that ended there or later reopened.
   Pure. #}
{% macro history_before(relation, options, existing, bound) %}
  {% set valid_from = dbt_kinds.quoted(dbt_kinds.find_column(existing.columns, options.valid_from_name).name) %}
  {% set valid_to = dbt_kinds.quoted(dbt_kinds.find_column(existing.columns, options.valid_to_name).name) %}
  {% set at = dbt_kinds.instant_literal(options.time_data_type, bound) %}
  {% set selected = [] %}
  {% for column in dbt_kinds.quoted_names(existing.columns) %}
    {% do selected.append('if(' ~ valid_to ~ ' >= ' ~ at ~ ', null, ' ~ valid_to ~ ') as ' ~ column
      if column == valid_to else column) %}
  {% endfor %}
  {% do return(dbt_kinds.filtered_query('select * from ' ~ relation,
    'not coalesce(' ~ valid_from ~ ' >= ' ~ at ~ ', false)', selected)) %}
{% endmacro %}


{# The snapshot to restore, or none if values have to be used. Raises if the result would differ from the earlier
   table. #}
{% macro _restoring_snapshot(relation, options, restatement) %}
  {% set snapshot_id = restatement.snapshot_id %}
  {% if snapshot_id is not none and dbt_kinds.has_snapshot(relation, options.file_format, snapshot_id) %}
    {% do return(snapshot_id) %}
  {% elif not restatement.is_exact and not restatement.may_be_approximate %}
    {% do dbt_kinds.fail(options.model,
      ('snapshot ' ~ snapshot_id ~ ', the state of the table before ' ~ restatement['from'] ~ ', has expired'
        if snapshot_id is not none
      else 'no snapshot of the table before ' ~ restatement['from'] ~ ' is recorded')
      ~ ', and valid_from does not show which run wrote a version; '
      ~ 'pass kinds_allow_approximate_restatement: true to remove all versions that begin from then on, or rebuild the table with --full-refresh') %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}
