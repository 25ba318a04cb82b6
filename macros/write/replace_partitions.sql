{# Puts the rows of a query into the place of every partition that they belong to; the others stay. One commit on Iceberg and Delta. #}
{% macro replace_partitions(relation, work, batch, query) %}
  {% set writer = work.writer %}
  {% set newest = dbt_kinds.newest_file(relation, writer.file_format) %}
  {% do dbt_kinds.require_dynamic_overwrite(writer.model) %}
  {% set insert -%}
insert overwrite {{ relation }}
{{ dbt_kinds.filtered_query(query, 'true', writer.selected) }}
  {%- endset %}
  {% call statement('replace_partitions') %}{{ insert }}{% endcall %}
  {% do return(dict(dbt_kinds.last_commit(relation, writer.file_format, dbt_kinds.is_newer_than(newest)), sql=insert)) %}
{% endmacro %}
