{#
  Whether a Hive catalog would refuse the commit that replaces an Iceberg table by one with other columns: by default it
  compares types by position, and the commit fails with CommitStateUnknownException (measured). The table is then
  dropped and created again.
#}
{% macro hive_refuses(options, existing, columns) %}
  {% if existing is none or not existing.get('is_in_hive') or existing.file_format != options.file_format %}
    {% do return(false) %}
  {% endif %}
  {% set changed = [] %}
  {% for stored in existing.columns[:columns | length] %}
    {% set column = columns[loop.index0] %}
    {% do changed.append(column.name ~ ' ' ~ column.type) if stored.type != column.type %}
  {% endfor %}
  {% if not changed or run_query('set spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes').rows[0][1]
      | lower == 'false' %}
    {% do return(false) %}
  {% endif %}
  {% do dbt_kinds.warn(options.model,
    'the table ' ~ options.relation
      ~ ' is dropped and recreated, and its snapshots are lost, because its columns change ('
    ~ changed | join(', ')
    ~ '), which the Hive metastore refuses unless hive.metastore.disallow.incompatible.col.type.changes is false there') %}
  {% do return(true) %}
{% endmacro %}
