{#
  Puts the rows of `query` in the range of a batch into the place of those of `relation`, and returns `{rows_written, snapshot_id, sql}`,
  the snapshot only where the format has them. The writer of `work` is what range_writer found out.
#}
{% macro replace_range(relation, work, batch, query) %}
  {% set writer = work.writer %}
  {% set condition = dbt_kinds.range_condition(writer.time_column, writer.bounds, batch) %}
  {% if writer.file_format in ['iceberg', 'delta'] %}
    {% do return(dbt_kinds._replace_range_by_condition(relation, writer, query, condition)) %}
  {% endif %}
  {% do return(dbt_kinds._replace_range_by_partition(relation, writer, query, condition)) %}
{% endmacro %}


{#
  One commit, emptied intervals included. Iceberg refuses it where a file holds rows on both sides of a bound;
  there it takes two commits, inside a range that the store does not call loaded.
#}
{% macro _replace_range_by_condition(relation, writer, query, condition) %}
  {% if not writer.in_one_commit %}
    {% call statement('delete_range') %}
delete from {{ relation }} where {{ condition }}
    {% endcall %}
  {% endif %}
  {% set insert -%}
insert into {{ relation }}{{ ' replace where ' ~ condition if writer.in_one_commit }}
{{ dbt_kinds.filtered_query(query, condition, writer.selected) }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, condition), sql=insert)) %}
{% endmacro %}


{#
  Partitions that got rows are overwritten in one job; those in range that got none are dropped after it. Which got rows
  is told by their files: a job gives every file it writes a name of its own.
#}
{% macro _replace_range_by_partition(relation, writer, query, condition) %}
  {% set before = [] if writer.is_new else dbt_kinds.partition_files(relation, writer, condition) %}
  {% do dbt_kinds.require_dynamic_overwrite(writer.model) %}
  {% set insert -%}
insert overwrite table {{ relation }}
{{ dbt_kinds.filtered_query(query, condition, writer.selected) }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% if before %}
    {% set after = dbt_kinds.partition_files(relation, writer, condition) %}
    {% do dbt_kinds.drop_partitions(relation, writer, after | select('in', before) | list) %}
  {% endif %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, condition), sql=insert)) %}
{% endmacro %}
