{# Replaces every partition that a query has rows for; other partitions stay. One commit on Iceberg and Delta. #}
{% macro replace_partitions(relation, run_context, batch, query) %}
  {% set write_spec = run_context.write_spec %}
  {% set is_file_format = dbt_kinds.is_file_format(write_spec.file_format) %}
  {% set before = dbt_kinds.table_state(relation, run_context, 'newest_file' if is_file_format else 'head') %}
  {% set rows = dbt_kinds.filtered_query(query, 'true', write_spec.selected) %}
  {% if write_spec.file_format == 'delta' and dbt_kinds._has_replace_on() %}
    {% set insert = dbt_kinds._replace_on(relation, dbt_kinds.quoted_names(write_spec.partitioning), rows) %}
  {% else %}
    {% do dbt_kinds.require_dynamic_overwrite(model) %}
    {% set insert = 'insert overwrite ' ~ relation ~ '\n' ~ rows %}
  {% endif %}
  {% call statement('replace_partitions') %}{{ insert }}{% endcall %}
  {% if is_file_format %}
    {% do return(dict(dbt_kinds.files_of_write(relation, before), sql=insert)) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, write_spec.file_format, before), sql=insert)) %}
{% endmacro %}


{# Whether Databricks replaces rows by what the new ones hold: on a SQL warehouse, which lets nobody switch to dynamic
   overwrite, and on clusters from 17.1 on. #}
{% macro _has_replace_on() %}
  {% do return(adapter.type() == 'databricks'
    and (not adapter.is_cluster() or adapter.compare_dbr_version(17, 1) >= 0)) %}
{% endmacro %}


{# SQL: rows replace those of the same partitions. Pure. #}
{% macro _replace_on(relation, partition_columns, rows) %}
  {% set same = [] %}
  {% for column in partition_columns %}{% do same.append('t.' ~ column ~ ' <=> s.' ~ column) %}{% endfor %}
  {% do return('insert into table ' ~ relation ~ ' as t\nreplace on (' ~ same | join(' and ')
    ~ ')\n(' ~ rows ~ ') as s') %}
{% endmacro %}
