{# The current snapshot of an Iceberg table, or version of a Delta table; none if it has none. #}
{% macro current_snapshot(relation, file_format) %}
  {% if file_format == 'iceberg' %}
    {% call statement('refresh_table') %}refresh table {{ relation }}{% endcall %}
    {% do return((dbt_kinds.query_rows('select snapshot_id from ' ~ relation ~ ".refs where name = 'main'") | first | default({}, true)).get('snapshot_id')) %}
  {% elif file_format == 'delta' %}
    {% do return(run_query('describe history ' ~ relation ~ ' limit 1').rows[0]['version'] | int) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{#
  The changes to a table since a snapshot, newest first: `[{snapshot_id, operation, application, rows_written}]`; none if that snapshot
  is no longer an ancestor of the current one. `since` none means since the table's creation.
#}
{% macro snapshots_since(relation, file_format, since) %}
  {% set found = [] %}
  {% if file_format == 'delta' %}
    {% for row in run_query('describe history ' ~ relation).rows if row['version'] | int > (since if since is not none else -1) %}
      {% do found.append({
        'snapshot_id': row['version'] | int, 'operation': {'WRITE': 'append', 'MERGE': 'overwrite'}.get(row['operation'], row['operation']), 'application': none,
        'rows_written': none,
      }) %}
    {% endfor %}
    {% do return(found) %}
  {% endif %}
  {# refreshes the table, so comes first #}
  {% set current = dbt_kinds.current_snapshot(relation, file_format) %}
  {% do return(dbt_kinds.snapshots_between(dbt_kinds.iceberg_snapshots(relation), since, current)) %}
{% endmacro %}


{# The snapshots of an Iceberg table that can still be read, by id. Asks Spark. #}
{% macro iceberg_snapshots(relation) %}
  {% set all_snapshots %}
select snapshot_id, parent_id, operation, summary['spark.app.id'] as application, cast(coalesce(summary['added-records'], '0') as bigint) as rows_written
from {{ relation }}.snapshots
  {%- endset %}
  {% set snapshots = {} %}
  {% for row in dbt_kinds.query_rows(all_snapshots) %}
    {% do snapshots.update({row.snapshot_id: row}) %}
  {% endfor %}
  {% do return(snapshots) %}
{% endmacro %}


{# Those behind `since` up to `until`, newest first; none if `since` is not an ancestor of `until`. Pure. #}
{% macro snapshots_between(snapshots, since, until) %}
  {% set found, state = [], namespace(snapshot_id=until) %}
  {% for step in snapshots if state.snapshot_id != since and state.snapshot_id in snapshots %}
    {% set snapshot = snapshots[state.snapshot_id] %}
    {% do found.append(snapshot) %}
    {% set state.snapshot_id = snapshot.get('parent_id') %}
  {% endfor %}
  {% do return(found if state.snapshot_id == since else none) %}
{% endmacro %}


{# The Spark application that runs our statements; Iceberg writes its id into each snapshot. #}
{% macro spark_application() %}
  {% set known = dbt_kinds.run_memory('application') %}
  {% if not known %}
    {% do known.update({'application': run_query('set spark.app.id').rows[0][1] | string}) %}
  {% endif %}
  {% do return(known.application) %}
{% endmacro %}


{# Whether a snapshot of a table can still be read. #}
{% macro has_snapshot(relation, file_format, snapshot_id) %}
  {% if file_format == 'iceberg' %}
    {% do return(run_query('select 1 from ' ~ relation ~ '.snapshots where snapshot_id = ' ~ snapshot_id).rows | length > 0) %}
  {% elif file_format == 'delta' %}
    {% for row in run_query('describe history ' ~ relation).rows if row['version'] | int == snapshot_id | int %}
      {% do return(true) %}
    {% endfor %}
  {% endif %}
  {% do return(false) %}
{% endmacro %}
