{#
  SQL that reads the rows of a batch of files: they are recorded in the ledger and read once, into a stage that includes
  the rejected lines; for a landing table, the rows it gained.
  If rejects are an error, it raises before anything is written.
#}
{% macro landed_rows(relation, run_context, number) %}
  {% set options, file_batch = run_context.options, run_context.plan.file_batches[number - 1] %}
  {% set unit, named = ('row', '_kinds_file') if options.landing_table is not none
    else ('line', dbt_kinds.file_name('_kinds_file')) %}
  {% if options.landing_table is not none %}
    {% set lines = dbt_kinds.stage_rows(relation, run_context.write_spec, 'lines',
      dbt_kinds.gained_lines(options, run_context.plan), dbt_kinds.line_columns(options)) %}
    {% do dbt_kinds.drop_appended_views(run_context.plan) %}
  {% else %}
    {% do dbt_kinds.take_files(options, file_batch) if not file_batch.is_taken %}
    {% set lines = dbt_kinds.stage_rows(relation, run_context.write_spec, 'lines',
      dbt_kinds.event_lines(options, file_batch.files | map(attribute='name') | list, file_batch.id),
      dbt_kinds.line_columns(options)) %}
  {% endif %}
  {% set counted = dbt_kinds.query_rows('select count(if(_kinds_reason is null, 1, null)) as rows, count(_kinds_reason) as rejects, '
    ~ 'collect_set(if(_kinds_reason is null, null, _kinds_file)) as files, min_by(struct(' ~ named
    ~ ' as _kinds_file, _kinds_text, _kinds_reason), _kinds_file) filter (where _kinds_reason is not null) as one from '
    ~ lines)[0] %}
  {% if counted.rejects and options.stops_at_rejects %}
    {% do dbt_kinds.fail(options.model,
      dbt_kinds.counted(counted.rejects, unit, unit ~ 's') ~ ' cannot be loaded, such as this one of '
        ~ counted.one._kinds_file ~ ': ' ~ counted.one._kinds_text[:200]
        ~ ' (' ~ counted.one._kinds_reason ~ '); set on_bad_record: reject, and what cannot be loaded goes to '
        ~ dbt_kinds.rejects_table(relation)) %}
  {% endif %}
  {% do file_batch.update({'rows': counted.rows, 'rejects': counted.rejects, 'rejected_files': counted.files,
    'lines': lines}) %}
  {% do return('select ' ~ dbt_kinds.quoted_names(options.columns) | join(', ') ~ ' from ' ~ lines
    ~ ' where _kinds_reason is null') %}
{% endmacro %}


{# Appends the rows of a batch of files, once, after storing the rejected lines: announced with their number, and
   recorded with the batch's name. The first one of a rebuild replaces all rejected lines. #}
{% macro append_landed(relation, run_context, batch, query) %}
  {% set file_batch = run_context.plan.file_batches | selectattr('lines', 'defined') | list | last %}
  {% set details = dict({'claim': file_batch.id, 'rejects': file_batch.rejects},
    **({'versions': run_context.plan.versions} if run_context.plan.get('versions') else {})) %}
  {% set unit = 'row' if run_context.options.landing_table is not none else 'line' %}
  {% do dbt_kinds.clear_rejects(relation)
    if run_context.start_anew and file_batch.id == run_context.plan.file_batches[0].id %}
  {% if file_batch.rejects %}
    {% do dbt_kinds.keep_rejects(relation, run_context.options, file_batch, file_batch.lines,
      file_batch.rejected_files) %}
    {% do dbt_kinds.warn(run_context.options.model,
      dbt_kinds.counted(file_batch.rejects, unit ~ ' was', unit ~ 's were') ~ ' rejected, see '
        ~ dbt_kinds.rejects_table(relation)) %}
  {% endif %}
  {% if not file_batch.rows %}
    {# the version of a Parquet or ORC table is its last load, so an empty run is noted instead of recorded, which would
       trigger its readers; but a batch of files must be recorded to be closed #}
    {% do return({'rows_written': 0,
      'is_idle': run_context.options.landing_table is not none and not file_batch.rejects
        and dbt_kinds.is_file_format(run_context.options.file_format), 'sql': '-- no line could be taken',
        'details': details, 'snapshot_id': none}) %}
  {% endif %}
  {% set rows = dbt_kinds.filtered_query(query, 'true', run_context.write_spec.selected) %}
  {% do return(dict(dbt_kinds.announced_append(relation, run_context, batch, rows,
    {'rows': file_batch.rows, 'details': details}), rows_written=file_batch.rows, details=details)) %}
{% endmacro %}
