{# For writes that replace partitions: see table_writer. A table without partitions would be emptied. #}
{% macro partition_writer(options, query_columns, existing, query, keys=[]) %}
  {% set writer = dbt_kinds.table_writer(options, query_columns, existing, options.partition_by) %}
  {% if not writer.partitioning %}
    {% do dbt_kinds.fail(options.model, 'the table ' ~ options.relation ~ ' has no partitions, and to replace them would replace all of it; '
      ~ 'run with --full-refresh to rebuild it with partition_by') %}
  {% endif %}
  {% do return(writer) %}
{% endmacro %}
