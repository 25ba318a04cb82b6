{# Applies the column changes that accepted_changes lists: with `alter table` if the format can, else by rewriting all
   rows. #}
{% macro change_schema(relation, run_context) %}
  {% set options, write_spec, changes = run_context.options, run_context.write_spec,
    run_context.write_spec.schema_changes %}
  {# the announcements are of no interval #}
  {% set empty_interval = [run_context.plan.batches[0][0], run_context.plan.batches[0][0]] %}
  {% set backfills = dbt_kinds.column_backfills(model, options, changes) %}
  {# after a run died, its added column is no longer a change for the next run, so the column's backfill is announced #}
  {% do dbt_kinds.announce_write(run_context, empty_interval, {'write': 'backfill', 'columns': backfills})
    if backfills %}
  {% if changes | rejectattr('in_place') | list == [] %}
    {% for change in changes %}
      {% call statement('change_schema') %}{{ dbt_kinds._alteration(relation, change) }}{% endcall %}
    {% endfor %}
    {% do dbt_kinds._finish_backfills(relation, options, backfills) if backfills %}
    {% do return(none) %}
  {% endif %}
  {% set sql = dbt_kinds.filtered_query('select * from ' ~ relation, 'true',
    dbt_kinds.selected_columns(run_context.existing.columns, write_spec.schema, cast=true)) %}
  {% if not dbt_kinds.is_file_format(options.file_format) %}
    {% do dbt_kinds.create_table(relation, run_context.existing, options.file_format, write_spec.partitioning, sql,
      write_spec.schema) %}
    {% do dbt_kinds._finish_backfills(relation, options, backfills) if backfills %}
  {% else %}
    {% set stage = dbt_kinds.stage(relation, 'whole', sql) %}
    {% do dbt_kinds.announce_write(run_context, empty_interval,
      {'write': 'stage', 'stage': stage.identifier, 'partitioning': write_spec.partitioning}) %}
    {% do dbt_kinds.put_stage_in_place(relation, options, stage, write_spec.partitioning) %}
    {% do dbt_kinds.close_announced_write(options) %}
    {% do dbt_kinds.drop_stage(relation, stage) %}
  {% endif %}
{% endmacro %}


{% macro _finish_backfills(relation, options, backfills) %}
  {% do dbt_kinds.backfill_columns(relation, backfills) %}
  {% do dbt_kinds.close_announced_write(options) %}
{% endmacro %}


{# Each path is a column, or a field within one, `element` within an array, `key` and `value` within a map. #}
{% macro _alteration(relation, change) %}
  {% set names = [] %}
  {% for name in change.path %}{% do names.append(dbt_kinds.quoted(name)) %}{% endfor %}
  {% set path = names | join('.') %}
  {% if change.change == 'add' %}
    {% do return('alter table ' ~ relation ~ ' add columns (' ~ path ~ ' '
      ~ dbt_kinds.sql_type(change.to) ~ ')') %}
  {% elif change.change == 'drop' %}
    {% do return('alter table ' ~ relation ~ ' drop columns (' ~ path ~ ')') %}
  {% endif %}
  {% do return('alter table ' ~ relation ~ ' alter column ' ~ path ~ ' type ' ~ dbt_kinds.sql_type(change.to)) %}
{% endmacro %}
