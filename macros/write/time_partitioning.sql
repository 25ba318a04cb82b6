{#
  What a time-range table is partitioned by: dbt's partition_by if set, else the time column, as fine as the interval.
  Iceberg can partition by a function of the column; other tables only by the column itself.
#}
{% macro time_partitioning(options, column, values) %}
  {% if options.partition_by %}
    {% do return(options.partition_by) %}
  {% elif not options.partition_by_time_column %}
    {% do return([]) %}
  {% elif options.file_format != 'iceberg' or values.strftime is not none %}
    {% do return([column]) %}
  {% elif options.unit.months %}
    {% do return(['months(' ~ column ~ ')']) %}
  {% elif values.write == 'date' %}
    {% do return([column]) %}
  {% endif %}
  {% do return([('hours(' if options.unit.seconds % 86400 else 'days(') ~ column ~ ')']) %}
{% endmacro %}


{# Whether some partition field cuts wherever an interval can begin or end, so that a range is always whole files. Pure. #}
{% macro partitions_cut_intervals(partitioning, column, unit) %}
  {% set seconds = {'hour': 3600, 'hours': 3600, 'day': 86400, 'days': 86400} %}
  {% set months = {'month': 1, 'months': 1, 'year': 12, 'years': 12} %}
  {% for field in partitioning %}
    {% set found = modules.re.fullmatch('(?:(\w+)\s*\(\s*)?`?(.+?)`?(?:\s*\))?', field | trim) %}
    {% set transform, source = (found.group(1) or 'identity') | lower, found.group(2) | lower %}
    {% if source == column | lower %}
      {% if transform == 'identity'
          or (transform in seconds and (unit.months or unit.seconds % seconds[transform] == 0))
          or (transform in months and unit.months and unit.months % months[transform] == 0) %}
        {% do return(true) %}
      {% endif %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
