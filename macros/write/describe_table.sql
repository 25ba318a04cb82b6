{#
  The description of a table: `{columns: [{name, type}], partitioning: [text], file_format, is_view, location}`. Iceberg prints `Part 0
  days(ts)`; other tables, and Iceberg tables partitioned by plain columns only, list the columns.
#}
{% macro describe_table(relation) %}
  {% set table = namespace(columns=[], partitioning=[], section='columns', file_format=none, type=none, location=none) %}
  {% for row in run_query('describe table extended ' ~ relation).rows %}
    {% set name, value = row[0] | string, row[1] %}
    {% if row[0] is none or name == '' or (name.startswith('# ') and not value) %}
      {% set table.section = name %}
    {% elif table.section == 'columns' %}
      {% do table.columns.append({'name': name, 'type': value}) %}
    {% elif table.section == '# Partition Information' and name != '# col_name' %}
      {% do table.partitioning.append(name) %}
    {% elif table.section == '# Partitioning' %}
      {% do table.partitioning.append(value) %}
    {% elif name == 'Provider' and table.file_format is none %}
      {% set table.file_format = value | lower %}
    {% elif name == 'Location' and table.location is none %}
      {% set table.location = value %}
    {% elif name == 'Type' and table.type is none %}
      {% set table.type = value %}
    {% endif %}
  {% endfor %}
  {% if table.file_format is not none and dbt_kinds.is_of_files(table.file_format) %}
    {% set fields = [] %}
    {% for name in table.partitioning %}{% do fields.append(dbt_kinds.partition_field(name)) %}{% endfor %}
    {% set table.partitioning = fields %}
  {% endif %}
  {% do return({
    'columns': dbt_kinds.with_whole_types(table.columns, relation | string), 'partitioning': table.partitioning, 'file_format': table.file_format, 'is_view': table.type == 'VIEW',
    'location': table.location,
  }) %}
{% endmacro %}


{# The name of a partition column of a Parquet or ORC table as a partition field: in backticks if it could be misread. Pure. #}
{% macro partition_field(name) %}
  {% do return(dbt_kinds.quoted(name) if dbt_kinds.is_partition_function(name) or dbt_kinds.unquoted(name) != name else name) %}
{% endmacro %}
