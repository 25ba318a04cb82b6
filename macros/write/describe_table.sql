{#
  The description of a table:
  `{columns: [{name, type, comment}], partitioning: [text], file_format, is_view, location, properties, view}`, where
  `view` is `{text, namespace, columns}` of a view: its SQL, where names in it are looked up, and the columns of its
  query. Iceberg prints `Part 0 days(ts)`; other tables, and Iceberg tables partitioned by plain columns only, list the
  columns.
#}
{% macro describe_table(relation) %}
  {% set table = namespace(columns=[], partitioning=[], section='columns', file_format=none, type=none, location=none,
    properties=none, view={}) %}
  {% for row in run_query('describe table extended ' ~ relation).rows %}
    {% set name, value = row[0] | string, row[1] %}
    {% if row[0] is none or name == '' or (name.startswith('# ') and not value) %}
      {% set table.section = name %}
    {% elif table.section == 'columns' %}
      {% do table.columns.append({'name': name, 'type': value, 'comment': row[2]}) %}
    {% elif table.section == '# Partition Information' and name != '# col_name' %}
      {% do table.partitioning.append(name) %}
    {% elif table.section == '# Partitioning' %}
      {% do table.partitioning.append(value) %}
    {% elif name == 'Provider' and table.file_format is none %}
      {% set table.file_format = value | lower %}
    {% elif name == 'Location' and table.location is none %}
      {% set table.location = value %}
    {% elif name == 'Table Properties' and table.properties is none %}
      {% set table.properties = value %}
    {% elif name == 'Type' and table.type is none %}
      {% set table.type = value %}
    {% elif name in ['View Text', 'View Catalog and Namespace', 'View Query Output Columns'] %}
      {% do table.view.update({name: value | string}) %}
    {% endif %}
  {% endfor %}
  {% if table.file_format is not none and dbt_kinds.is_file_format(table.file_format) %}
    {% set fields = [] %}
    {% for name in table.partitioning %}{% do fields.append(dbt_kinds.partition_field(name)) %}{% endfor %}
    {% set table.partitioning = fields %}
  {% endif %}
  {% do return({
    'columns': dbt_kinds.with_whole_types(table.columns, relation | string), 'partitioning': table.partitioning,
    'file_format': table.file_format, 'is_view': table.type == 'VIEW',
    'location': table.location, 'properties': table.properties,
    'view': dbt_kinds._facts_of_view(table.view) if table.type == 'VIEW' else none,
  }) %}
{% endmacro %}


{% macro _facts_of_view(stated) %}
  {% set columns = [] %}
  {% for name in stated.get('View Query Output Columns', '[]')[1:-1].split(', ') if name %}
    {% do columns.append(dbt_kinds.unquoted(name)) %}{% endfor %}
  {% do return({'text': stated.get('View Text'),
    'namespace': stated.get('View Catalog and Namespace', '') | replace('`', ''), 'columns': columns}) %}
{% endmacro %}


{# The name of a partition column of a Parquet or ORC table as a partition field: in backticks if it could be misread.
   Pure. #}
{% macro partition_field(name) %}
  {% do return(dbt_kinds.quoted(name) if dbt_kinds.is_partition_function(name) or dbt_kinds.unquoted(name) != name
    else name) %}
{% endmacro %}
