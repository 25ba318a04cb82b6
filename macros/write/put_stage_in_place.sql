{#
  Replaces a table by a complete stage: overwrites it if it has the same columns and partitions, otherwise creates it
  again. If killed, it can be repeated as long as the stage exists.
#}
{% macro put_stage_in_place(relation, options, stage, partitioning) %}
  {% set existing = dbt_kinds.describe_table(relation) if dbt_kinds.relation_type(relation) is not none else none %}
  {% do dbt_kinds.replace_by_stage(relation, options, stage, partitioning, existing,
    dbt_kinds.describe_table(stage).columns) %}
{% endmacro %}


{# The same if the table and the columns of the stage are known. #}
{% macro replace_by_stage(relation, options, stage, partitioning, existing, columns) %}
  {% if dbt_kinds.has_shape(existing, options.file_format, columns, partitioning) %}
    {% do dbt_kinds.overwrite_from_stage(relation, {
      'model': options.model, 'columns': dbt_kinds.quoted_names(existing.columns),
      'partition_columns': dbt_kinds.quoted_names(partitioning),
    }, stage) %}
  {% else %}
    {% do dbt_kinds.create_table(relation, existing, options.file_format, partitioning, 'select * from ' ~ stage,
      columns) %}
  {% endif %}
{% endmacro %}


{# Whether a Parquet or ORC table has those columns and partitions, so that its rows can be overwritten. Pure. #}
{% macro has_shape(existing, file_format, columns, partitioning) %}
  {% if existing is none or not dbt_kinds.is_file_format(file_format) or existing.is_view
      or existing.file_format != file_format or existing.columns | length != columns | length
      or dbt_kinds.quoted_names(existing.partitioning) | map('lower') | list != dbt_kinds.quoted_names(partitioning)
      | map('lower') | list %}
    {% do return(false) %}
  {% endif %}
  {% set by_name = dbt_kinds.columns_by_name(existing.columns) %}
  {% for column in columns %}
    {% set stored = by_name.get(column.name | lower) %}
    {% if stored is none or stored.type != column.type %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}


{# Replaces a Parquet or ORC table by the complete new table that a batch has staged; announced, so that the next run
   finishes it if this one is interrupted. #}
{% macro put_whole_in_place(relation, run_context, batch, whole, rows, details=none) %}
  {% do dbt_kinds.announce_write(run_context, batch, {
    'write': 'stage', 'stage': whole.identifier, 'partitioning': run_context.write_spec.partitioning, 'rows': rows,
    'details': details,
  }) %}
  {% do dbt_kinds.overwrite_from_stage(relation, run_context.write_spec, whole) %}
{% endmacro %}
