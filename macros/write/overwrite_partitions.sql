{#
  Overwrites a table of files by the rows of a query: partitions that get rows in one job, and those of the rows for which a condition
  holds that get none are dropped after it. Which got rows is told by their files: a job gives every file it writes a name of its own.
  Returns the statement.
#}
{% macro overwrite_partitions(relation, writer, sql, condition) %}
  {% set before = dbt_kinds._partition_files(relation, writer, condition) if writer.partition_columns and not writer.is_new else [] %}
  {% do dbt_kinds.require_dynamic_overwrite(writer.model) %}
  {% set insert -%}
insert overwrite table {{ relation }}
{{ sql }}
  {%- endset %}
  {% call statement('overwrite_partitions') %}{{ insert }}{% endcall %}
  {% if before %}
    {% set after = dbt_kinds._partition_files(relation, writer, condition) %}
    {% do dbt_kinds._drop_partitions(relation, writer, after | select('in', before) | list) %}
  {% endif %}
  {% do return(insert) %}
{% endmacro %}


{# The partitions that hold such rows: their values as text, and the name of one of their files. #}
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
