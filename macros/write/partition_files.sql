{# The partitions that hold such rows: their values as text, and the name of one of their files. #}
{% macro partition_files(relation, writer, condition) %}
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


{% macro drop_partitions(relation, writer, partitions) %}
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
