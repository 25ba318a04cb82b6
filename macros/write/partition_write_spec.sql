{# For writes that replace partitions: see table_write_spec. A table without partitions would be emptied. #}
{% macro partition_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns, existing, options.partition_by) %}
  {% if not write_spec.partitioning %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' has no partitions, and to replace them would replace all of it; '
      ~ 'run with --full-refresh to rebuild it with partition_by') %}
  {% endif %}
  {% do return(write_spec) %}
{% endmacro %}
