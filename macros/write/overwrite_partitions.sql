{#
  Overwrites a Parquet or ORC table with the rows of a query: first the partitions that get rows, in one job; then
  partitions with rows for which a condition holds that got none are dropped. File names show which partitions got rows,
  because a job gives its files new names.
  `before` is what partition_files returned earlier. Returns `{rows_written, sql}`.
#}
{% macro overwrite_partitions(relation, write_spec, sql, condition, before) %}
  {% do dbt_kinds.require_dynamic_overwrite(model) %}
  {% set insert -%}
insert overwrite table {{ relation }}
{{ sql }}
  {%- endset %}
  {% call statement('overwrite_partitions') %}{{ insert }}{% endcall %}
  {% set old, written = before | map(attribute='a_file') | list, namespace(rows=0) %}
  {% set emptied = [] %}
  {% for partition in dbt_kinds.partition_files(relation, write_spec, condition) %}
    {% if partition.a_file in old %}
      {% do emptied.append(partition) %}
    {% else %}
      {% set written.rows = written.rows + partition.number %}
    {% endif %}
  {% endfor %}
  {% do dbt_kinds._drop_partitions(relation, write_spec, emptied) %}
  {% do return({'rows_written': written.rows, 'sql': insert}) %}
{% endmacro %}


{# The partitions that contain such rows: their values as strings, the name of one file each, and the number of rows.
   Files are counted first: Spark sorts rows for a greatest string, but not for a count. #}
{% macro partition_files(relation, write_spec, condition) %}
  {% set partitions %}
select
  {% for column in write_spec.partition_columns %}cast({{ column }} as string) as value_{{ loop.index }}, {% endfor %}
  max(__kinds_file) as a_file, sum(__kinds_rows) as number
from (
  select {{ write_spec.partition_columns | join(', ') }}, _metadata.file_name as __kinds_file, count(*) as __kinds_rows
  from {{ relation }}
  where {{ condition }}
  group by {{ write_spec.partition_columns | join(', ') }}, _metadata.file_name
)
group by {{ write_spec.partition_columns | join(', ') }}
  {%- endset %}
  {% do return(dbt_kinds.query_rows(partitions)) %}
{% endmacro %}


{# Overwrites every partition in the stage, and drops the others. #}
{% macro overwrite_from_stage(relation, write_spec, stage) %}
  {% set sql = 'select ' ~ write_spec.columns | join(', ') ~ ' from ' ~ stage %}
  {% if write_spec.partition_columns %}
    {% set before = dbt_kinds.partition_files(relation, write_spec, 'true') %}
    {% do dbt_kinds.overwrite_partitions(relation, write_spec, sql, 'true', before) %}
  {% else %}
    {% call statement('overwrite_table') %}
insert overwrite table {{ relation }}
{{ sql }}
    {% endcall %}
  {% endif %}
{% endmacro %}


{% macro _drop_partitions(relation, write_spec, partitions) %}
  {% if partitions %}
    {% call statement('drop_partitions') %}
alter table {{ relation }} drop if exists
      {%- for partition in partitions %}
  partition (
        {%- for column in write_spec.partition_columns -%}
          {{ column }} = {{ dbt_kinds.text_literal(partition.get('value_' ~ loop.index)) }}{{ ', ' if not loop.last }}
        {%- endfor -%}
  ){{ ',' if not loop.last }}
      {%- endfor %}
    {% endcall %}
  {% endif %}
{% endmacro %}
