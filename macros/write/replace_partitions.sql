{# Puts the rows of a query into the place of every partition that they belong to; the others stay. One commit on Iceberg and Delta. #}
{% macro replace_partitions(relation, work, batch, query) %}
  {% set writer = work.writer %}
  {% set before = dbt_kinds.current_snapshot(relation, writer.file_format) %}
  {% set newest = dbt_kinds.newest_file(relation, writer.file_format) %}
  {% do dbt_kinds.require_dynamic_overwrite(writer.model) %}
  {% set insert -%}
insert overwrite {{ relation }}
{{ dbt_kinds.filtered_query(query, 'true', writer.selected) }}
  {%- endset %}
  {% call statement('replace_partitions') %}{{ insert }}{% endcall %}
  {% set commit = dbt_kinds.last_commit(relation, writer.file_format, dbt_kinds.is_newer_than(newest)) %}
  {# Iceberg makes no commit where there are no rows #}
  {% set rows = 0 if before is not none and commit.get('snapshot_id') == before else commit.rows_written %}
  {% do return(dict(commit, rows_written=rows, sql=insert)) %}
{% endmacro %}
