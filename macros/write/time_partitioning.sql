{#
  The partitioning of a time-range table: dbt's partition_by if set, else the time column, as fine as the interval.
  Iceberg can partition by a function of the column, other formats only by the column itself. Parquet and ORC must be
  partitioned; Iceberg and Delta are not if that would create a partition for every instant.
#}
{% macro time_partitioning(options, column, values) %}
  {% if options.partition_by %}
    {% do return(options.partition_by) %}
  {% elif not options.partition_by_time_column or options.liquid_clustering %}
    {% do return([]) %}
  {% elif dbt_kinds.is_file_format(options.file_format) %}
    {% do return([column]) %}
  {% elif options.file_format == 'delta' or values.strftime is not none %}
    {% set is_coarse = values.step is not none and (values.step.months or values.step.seconds >= 3600) %}
    {% do return([column] if is_coarse else []) %}
  {% elif options.unit.months %}
    {% do return(['months(' ~ column ~ ')']) %}
  {% elif values.write == 'date' %}
    {% do return([column]) %}
  {% endif %}
  {% do return([('hours(' if options.unit.seconds % 86400 else 'days(') ~ column ~ ')']) %}
{% endmacro %}


{# Whether some partition field starts a new partition wherever an interval can begin or end, so that a range is always
   whole files. Pure. #}
{% macro are_whole_partitions(partitioning, column, unit) %}
  {% set seconds = {'hour': 3600, 'hours': 3600, 'day': 86400, 'days': 86400} %}
  {% set months = {'month': 1, 'months': 1, 'year': 12, 'years': 12} %}
  {% for field in partitioning %}
    {% set found = dbt_kinds.full_match('(\w+)\s*\(\s*([\s\S]+?)\s*\)', field | trim) %}
    {% set transform = found.group(1) | lower if found is not none else 'identity' %}
    {% set source = dbt_kinds.unquoted(found.group(2) if found is not none else field) | lower %}
    {% set is_fine_enough = transform == 'identity'
      or (transform in seconds and (unit.months or unit.seconds % seconds[transform] == 0))
      or (transform in months and unit.months and unit.months % months[transform] == 0) %}
    {% if source == column | lower and is_fine_enough %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
