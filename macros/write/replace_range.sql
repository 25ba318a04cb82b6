{#
  Puts the rows of `query` for which `condition` holds into the place of those of `relation` for which it holds, and returns
  `{rows_written, snapshot_id, sql}`, the snapshot only where the format has them. `writer` is what range_writer found out.
#}
{% macro replace_range(relation, writer, query, condition) %}
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
{{ dbt_kinds.filtered_query(query, condition, writer.columns) }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, condition), sql=insert)) %}
{% endmacro %}


{#
  Partitions that got rows are overwritten in one job; those in range that got none are dropped after it. Which got rows
  is told by their files: a job gives every file it writes a name of its own.
#}
{% macro _replace_range_by_partition(relation, writer, query, condition) %}
  {% set before = [] if writer.is_new else dbt_kinds._partition_files(relation, writer, condition) %}
  {% do dbt_kinds.require_dynamic_overwrite(writer.model) %}
  {% set insert -%}
insert overwrite table {{ relation }}
{{ dbt_kinds.filtered_query(query, condition, writer.columns) }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% if before %}
    {% set after = dbt_kinds._partition_files(relation, writer, condition) %}
    {% do dbt_kinds._drop_partitions(relation, writer, after | select('in', before) | list) %}
  {% endif %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, condition), sql=insert)) %}
{% endmacro %}


{# The partitions in range: their values as text, and the name of one of their files. #}
{% macro _partition_files(relation, writer, condition) %}
  {% set partitions %}
select
  {% for column in writer.partition_columns %}cast({{ column }} as string) as value_{{ loop.index }}, {% endfor %}
  max(_metadata.file_name) as a_file
from {{ relation }}
where {{ condition }}
group by {{ writer.partition_columns | join(', ') }}
  {%- endset %}
  {% do return(dbt_kinds.query_rows(partitions)) %}
{% endmacro %}


{% macro _drop_partitions(relation, writer, partitions) %}
  {% if partitions %}
    {% call statement('drop_partitions') %}
alter table {{ relation }} drop if exists
      {%- for partition in partitions %}
  partition (
        {%- for column in writer.partition_columns -%}
          {{ column }} = {{ dbt_kinds.text_literal(partition.get('value_' ~ loop.index)) }}{{ ', ' if not loop.last }}
        {%- endfor -%}
  ){{ ',' if not loop.last }}
      {%- endfor %}
    {% endcall %}
  {% endif %}
{% endmacro %}
