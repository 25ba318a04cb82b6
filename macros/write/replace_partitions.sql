{# Replaces every partition that a query has rows for; other partitions stay. One commit on Iceberg and Delta. #}
{% macro replace_partitions(relation, work, batch, query) %}
  {% set writer = work.writer %}
  {% set is_of_files = dbt_kinds.is_of_files(writer.file_format) %}
  {% set before = dbt_kinds.answer(relation, work, 'newest_file' if is_of_files else 'head') %}
  {% do dbt_kinds.require_dynamic_overwrite(model) %}
  {% set insert -%}
insert overwrite {{ relation }}
{{ dbt_kinds.filtered_query(query, 'true', writer.selected) }}
  {%- endset %}
  {% call statement('replace_partitions') %}{{ insert }}{% endcall %}
  {% if is_of_files %}
    {% do return({'rows_written': dbt_kinds.rows_in_files_after(relation, before), 'sql': insert}) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, writer.file_format, before), sql=insert)) %}
{% endmacro %}
