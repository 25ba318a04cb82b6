{# Replaces every partition that a query has rows for; other partitions stay. One commit on Iceberg and Delta. #}
{% macro replace_partitions(relation, run_context, batch, query) %}
  {% set write_spec = run_context.write_spec %}
  {% set is_file_format = dbt_kinds.is_file_format(write_spec.file_format) %}
  {% set before = dbt_kinds.table_state(relation, run_context, 'newest_file' if is_file_format else 'head') %}
  {% do dbt_kinds.require_dynamic_overwrite(model) %}
  {% set insert -%}
insert overwrite {{ relation }}
{{ dbt_kinds.filtered_query(query, 'true', write_spec.selected) }}
  {%- endset %}
  {% call statement('replace_partitions') %}{{ insert }}{% endcall %}
  {% if is_file_format %}
    {% do return(dict(dbt_kinds.files_of_write(relation, before), sql=insert)) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, write_spec.file_format, before), sql=insert)) %}
{% endmacro %}
