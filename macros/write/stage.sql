{#
  Tables beside a model's own that hold a batch, or the new whole, while it is put in place. Their names carry the invocation; what a
  run that was killed left is dropped by the next one, which holds the lease. Its types are those of the table `like`, else those of the query.
#}
{% macro stage(relation, purpose, sql, like=none) %}
  {% set stage = relation.incorporate(path={'identifier': dbt_kinds._stage_prefix(relation) ~ local_md5(invocation_id)[:8] ~ '_' ~ purpose}) %}
  {% do dbt_kinds._drop(stage) %}
  {# first the table, then its rows: a query that is killed leaves a table that can be dropped, not files without one #}
  {% call statement('create_stage') %}
create table {{ stage }} using {{ 'delta' if adapter.type() == 'databricks' else 'parquet' }} as
{{ dbt_kinds.filtered_query('select * from ' ~ like if like is not none else sql, 'false') }}
  {% endcall %}
  {% call statement('fill_stage') %}
insert into {{ stage }}
{{ sql }}
  {% endcall %}
  {% do return(stage) %}
{% endmacro %}


{# Drops the stages of this run, and those that others left. #}
{% macro drop_stages(relation) %}
  {% for identifier in dbt_kinds.tables_of(relation, dbt_kinds._stage_prefix(relation) ~ '*') %}
    {% do dbt_kinds._drop(relation.incorporate(path={'identifier': identifier})) %}
  {% endfor %}
{% endmacro %}


{% macro _stage_prefix(relation) %}
  {% do return(relation.identifier ~ '__kinds_stage_') %}
{% endmacro %}


{#
  Puts a complete stage into the place of a table: by overwriting it where it has these columns and partitions, otherwise by a new
  table. Killed, it can be done again as long as the stage is there.
#}
{% macro put_stage_in_place(relation, options, stage, partitioning) %}
  {% set existing = dbt_kinds.describe_table(relation) if dbt_kinds.relation_type(relation) is not none else none %}
  {% set columns = dbt_kinds.describe_table(stage).columns %}
  {% if dbt_kinds._has_shape(existing, options.file_format, columns, partitioning) %}
    {% do dbt_kinds.overwrite_from_stage(relation, {
      'model': options.model, 'columns': dbt_kinds.quoted_names(existing.columns), 'partition_columns': dbt_kinds.quoted_names(partitioning),
    }, stage) %}
  {% else %}
    {% do dbt_kinds.create_table(relation, existing, options.file_format, partitioning, 'select * from ' ~ stage) %}
  {% endif %}
{% endmacro %}


{% macro _has_shape(existing, file_format, columns, partitioning) %}
  {% if existing is none or existing.is_view or existing.file_format != file_format or existing.columns | length != columns | length
      or dbt_kinds.quoted_names(existing.partitioning) | map('lower') | list != dbt_kinds.quoted_names(partitioning) | map('lower') | list %}
    {% do return(false) %}
  {% endif %}
  {% for column in columns %}
    {% set stored = dbt_kinds.find_column(existing.columns, column.name) %}
    {% if stored is none or stored.type != column.type %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}


{# Overwrites every partition that the stage has, and drops the others. #}
{% macro overwrite_from_stage(relation, writer, stage) %}
  {% do dbt_kinds.overwrite_partitions(relation, writer, 'select ' ~ writer.columns | join(', ') ~ ' from ' ~ stage, 'true') %}
{% endmacro %}
