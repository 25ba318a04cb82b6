{# The current snapshot of an Iceberg table, or version of a Delta table; none if it has none. #}
{% macro current_snapshot(relation, file_format) %}
  {% if file_format == 'iceberg' %}
    {% call statement('refresh_table') %}refresh table {{ relation }}{% endcall %}
    {% do return((dbt_kinds.query_rows('select snapshot_id from ' ~ relation ~ ".refs where name = 'main'") | first
      | default({}, true)).get('snapshot_id')) %}
  {% elif file_format == 'delta' %}
    {% do return(dbt_kinds.delta_history(relation, limit=1)[0]['version'] | int) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{#
  The changes to a table since a snapshot, newest first: `[{snapshot_id, operation, application, rows_written}]`; none
  if that snapshot is no longer an ancestor of the current one. `since` none means since the table's creation.
#}
{% macro snapshots_since(relation, file_format, since) %}
  {% if file_format == 'delta' %}
    {% set versions = dbt_kinds.snapshots_of(relation, file_format) %}
    {% do return(dbt_kinds.snapshots_between(versions, since, versions | list | first)) %}
  {% endif %}
  {# refreshes the table, so comes first #}
  {% set current = dbt_kinds.current_snapshot(relation, file_format) %}
  {% do return(dbt_kinds.snapshots_between(dbt_kinds.iceberg_snapshots(relation), since, current)) %}
{% endmacro %}


{# The snapshots of an Iceberg table, or the versions of a Delta table that its log still has, by id; of Delta with
   `is_readable`. Asks Spark. #}
{% macro snapshots_of(relation, file_format) %}
  {% if file_format == 'delta' %}
    {% do return(dbt_kinds.delta_versions(dbt_kinds.delta_history(relation))) %}
  {% endif %}
  {% do return(dbt_kinds.iceberg_snapshots(relation)) %}
{% endmacro %}


{# The rows of `describe history` of a Delta table, newest first: all of them, or the newest ones. Asks Spark. #}
{% macro delta_history(relation, limit=none) %}
  {% do return(run_query('describe history ' ~ dbt_kinds.quoted_path(relation)
    ~ (' limit ' ~ limit if limit is not none else '')).rows) %}
{% endmacro %}


{#
  The versions in the rows of `describe history`, newest first, by number. Commits that leave all rows as they are have
  the operation `replace`, like Iceberg's compactions. A version cannot be read any more if a commit after it removed
  files, and did so longer before a `vacuum` than that retained them. `sets_feed` is whether a commit turned the change
  data feed on or off, none if it did neither. Pure.
#}
{% macro delta_versions(rows) %}
  {% set replaces = ['OPTIMIZE', 'REORG', 'VACUUM START', 'VACUUM END', 'COMPUTE STATS', 'SET TBLPROPERTIES',
    'UNSET TBLPROPERTIES', 'ADD CONSTRAINT', 'DROP CONSTRAINT', 'CLUSTER BY', 'UPGRADE PROTOCOL'] %}
  {% set keeps_files = replaces[2:] + ['ADD COLUMNS', 'CHANGE COLUMN'] %}
  {% set versions, state = {}, namespace(removed_until=none, is_readable=true) %}
  {% for row in rows %}
    {% set version, operation, metrics = row['version'] | int, row['operation'], row['operationMetrics'] | string %}
    {% do versions.update({version: {
      'snapshot_id': version, 'parent_id': version - 1 if version else none, 'application': none,
      'is_readable': state.is_readable,
      'operation': 'replace' if operation in replaces
        else {'WRITE': 'append', 'MERGE': 'overwrite'}.get(operation, operation),
      'rows_written': dbt_kinds.rows_in_metrics(metrics) if 'numOutputRows' in metrics else none,
      'sets_feed': dbt_kinds._sets_feed(operation, row['operationParameters'] | string),
      'committed_at': dbt_kinds.seconds_of_commit(row['timestamp']),
    }}) %}
    {% set at = versions[version].committed_at %}
    {% set appends = operation == 'WRITE'
      and modules.re.search('\\bmode\\W+Append', row['operationParameters'] | string) is not none %}
    {% if operation == 'VACUUM START' %}
      {% set retained = modules.re.search('specifiedRetentionMillis\\W+([0-9]+)', row['operationParameters'] | string)
        or modules.re.search('RetentionMillis\\W+([0-9]+)', row['operationParameters'] | string) %}
      {% set until = at - (retained.group(1) | int if retained is not none else 0) / 1000 %}
      {% set state.removed_until = until if state.removed_until is none else [until, state.removed_until] | max %}
    {% elif state.removed_until is not none and at <= state.removed_until and not appends
        and operation not in keeps_files %}
      {% set state.is_readable = false %}
    {% endif %}
  {% endfor %}
  {% do return(versions) %}
{% endmacro %}


{# Whether a commit turned the change data feed on or off, none if it did neither. What makes the table anew, or puts an
   old one back, sets all of its properties. Pure. #}
{% macro _sets_feed(operation, parameters) %}
  {% set stated = modules.re.search('delta[.]enableChangeDataFeed\\W+(\\w+)', parameters) %}
  {% if stated is not none %}
    {% do return(stated.group(1) | lower == 'true') %}
  {% endif %}
  {% do return(false if modules.re.match('(?:CREATE|REPLACE|CLONE|RESTORE)', operation) is not none else none) %}
{% endmacro %}


{#
  Whether the change data feed of a Delta table has every change since a version: it was on then, and since then nothing
  but rows changed; table_changes does not read across other columns, and not what a `restore` put back. `snapshots` are
  those of delta_versions, `between` what snapshots_between returned. Pure.
#}
{% macro has_feed_since(snapshots, since, between) %}
  {% if between is none or between | map(attribute='operation')
      | reject('in', ['append', 'overwrite', 'UPDATE', 'DELETE', 'replace']) | list %}
    {% do return(false) %}
  {% endif %}
  {% for snapshot in snapshots.values() if snapshot.get('sets_feed') is not none %}
    {% do return(snapshot.sets_feed and snapshot.snapshot_id <= since) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{# The seconds since 1970 of a commit's timestamp, which arrives as a datetime or as a text. Pure. #}
{% macro seconds_of_commit(timestamp) %}
  {% set text = dbt_kinds.full_match('(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d:\\d\\d(?:[.]\\d+)?)[\\s\\S]*',
    timestamp | string) %}
  {% do return(0 if text is none
    else dbt_kinds.seconds_between('1970-01-01T00:00:00', text.group(1) ~ 'T' ~ text.group(2))) %}
{% endmacro %}


{#
  What is noted of a version of a Delta table: its number and the moment of its commit, from a row of
  `describe history`. The number alone would mean another version once the table is dropped and created again. Pure.
#}
{% macro noted_version(row) %}
  {% do return(row['version'] ~ ' ' ~ (row['timestamp'] | string)[:26] | replace(' ', 'T')) %}
{% endmacro %}


{#
  Whether a version that was noted, as `[number]` or `[number, moment]`, is of a table that was there before: the
  version of that number was committed at another moment. Moments are those of a wall clock, which may be in another
  zone now, up to 14 hours and in quarters of an hour; and commits of one second may be dated a little apart. Pure.
#}
{% macro is_of_another_table(noted, snapshots) %}
  {% set known = snapshots.get(noted[0] | int) if noted | length == 2 else none %}
  {% if known is none or known.get('committed_at') is none %}
    {% do return(false) %}
  {% endif %}
  {% set shift = known.committed_at - dbt_kinds.seconds_of_commit(noted[1]) %}
  {% set of_zones = ((shift + 450) // 900) * 900 %}
  {% do return(shift - of_zones > 2 or of_zones - shift > 2 or of_zones > 50400 or of_zones < -50400) %}
{% endmacro %}


{# The snapshots of an Iceberg table that can still be read, by id. Asks Spark. #}
{% macro iceberg_snapshots(relation) %}
  {% set all_snapshots %}
select snapshot_id, parent_id, operation, summary['spark.app.id'] as application,
  cast(coalesce(summary['added-records'], '0') as bigint) as rows_written
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
    {% do return(run_query('select 1 from ' ~ relation ~ '.snapshots where snapshot_id = ' ~ snapshot_id).rows
      | length > 0) %}
  {% elif file_format == 'delta' %}
    {% do return(dbt_kinds.snapshots_of(relation, file_format).get(snapshot_id | int, {}).get('is_readable', false)) %}
  {% endif %}
  {% do return(false) %}
{% endmacro %}
