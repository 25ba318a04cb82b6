{# For writes that append the rows a source gained: see table_write_spec. A rebuilt table is created from the rows. #}
{% macro changes_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% do return(dict(dbt_kinds.append_write_spec(options, query_columns, existing, query),
    writes_whole_table=existing is none)) %}
{% endmacro %}


{#
  Appends the rows that a source gained, once: the rows are staged and counted, announced together with the source's
  version, written, recorded. Without rows nothing is written.
#}
{% macro append_changes(relation, run_context, batch, query) %}
  {% if run_context.start_anew %}
    {% do return(dbt_kinds.replace_all(relation, run_context, batch, query)) %}
  {% endif %}
  {% set options, details = run_context.options, dbt_kinds.versions_read(run_context) %}
  {% set stage = run_context.get('staged')
    or dbt_kinds.stage_rows(relation, run_context.write_spec, 'batch',
    dbt_kinds.filtered_query(query, 'true', run_context.write_spec.selected), run_context.write_spec.schema,
    relation) %}
  {% do dbt_kinds.drop_appended_views(run_context.plan) %}
  {% set number = dbt_kinds.query_rows('select count(*) as number from ' ~ stage)[0].number %}
  {% if number %}
    {% do return(dict(dbt_kinds.announced_append(relation, run_context, batch,
      'select ' ~ run_context.write_spec.columns | join(', ') ~ ' from ' ~ stage, {'rows': number, 'details': details}),
      rows_written=number, details=details)) %}
  {% endif %}
  {# the version of a Parquet or ORC table is its last load, so an empty run is noted instead of recorded, which would
     trigger its readers #}
  {% do return({'rows_written': 0, 'is_idle': dbt_kinds.is_file_format(options.file_format), 'sql': '-- no row came',
    'details': details, 'snapshot_id': none}) %}
{% endmacro %}
