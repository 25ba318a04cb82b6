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
  {% set sql = dbt_kinds.overwrite_partitions(relation, writer, dbt_kinds.filtered_query(query, condition, writer.selected), condition) %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, condition), sql=sql)) %}
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
