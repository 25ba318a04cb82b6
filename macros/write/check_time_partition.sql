{# Tables other than Iceberg and Delta replace whole partitions, so they must be partitioned by the time column. #}
{% macro check_time_partition(options, time_column, partitioning, whole_partitions) %}
  {% set table = 'a ' ~ options.file_format ~ ' table replaces whole partitions' %}
  {% if not whole_partitions %}
    {% do dbt_kinds.fail(options.model,
      table ~ ', and partition_by (' ~ partitioning | join(', ') ~ ") is coarser than the interval, one "
      ~ options.unit.name ~ "; put the time_column '" ~ time_column.name
      ~ "' into partition_by, or use file_format: iceberg") %}
  {% elif not dbt_kinds.matches('\\w+', time_column.name) %}
    {# Hive's partition filter does not support quotes (measured) #}
    {% do dbt_kinds.fail(options.model,
      table ~ ", and Hive cannot look for partitions of a column called '" ~ time_column.name
      ~ "'; give it a name of letters, digits and underscores in the query, or use file_format: iceberg") %}
  {% elif time_column.type == 'timestamp_ntz' %}
    {% do dbt_kinds.fail(options.model, table ~ ", and cannot be partitioned by the timestamp_ntz '" ~ time_column.name
      ~ "'; use a timestamp, a date or a string, or file_format: iceberg") %}
  {% elif time_column.type == 'timestamp' %}
    {# partition names are wall clock times: an hour repeated by a clock change would be one partition instead of two #}
    {% set zone = dbt_kinds.session_zone() %}
    {% if not dbt_kinds.is_utc(zone) %}
      {% do dbt_kinds.fail(options.model,
        table ~ ", and the names of its partitions by the timestamp '" ~ time_column.name
        ~ "' depend on the session's time zone, which is " ~ zone
        ~ '; set spark.sql.session.timeZone to UTC in server_side_parameters, or use file_format: iceberg') %}
    {% endif %}
  {% endif %}
{% endmacro %}
