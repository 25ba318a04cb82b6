{#
  What the store says was loaded and a table does not hold, because somebody put it back to an older version: a sorted
  list of [start, end]. Only Iceberg and Delta keep versions. What has expired, or has left the history, cannot be told
  any more. Asks Spark.
#}
{% macro intervals_put_back(relation, file_format, key) %}
  {% set events = dbt_kinds.read_log([key]) %}
  {% if file_format == 'delta' %}
    {% do return(dbt_kinds.intervals_of_commits(events, dbt_kinds.spans_put_back(dbt_kinds.delta_history(relation)),
      [])) %}
  {% elif file_format == 'iceberg' %}
    {% set snapshots, left = dbt_kinds.iceberg_snapshots(relation), {} %}
    {% do left.update(snapshots) %}
    {% for snapshot in dbt_kinds.snapshots_between(snapshots, none, dbt_kinds.current_snapshot(relation, 'iceberg'))
        or snapshots.values() %}
      {% do left.pop(snapshot.snapshot_id, none) %}
    {% endfor %}
    {% do return(dbt_kinds.intervals_of_commits(events, [], left)) %}
  {% endif %}
  {% do return([]) %}
{% endmacro %}


{# The spans of versions of a Delta table, [before, behind], both exclusive, that a `restore` took back: `rows` are
   those of `describe history`. Pure. #}
{% macro spans_put_back(rows) %}
  {% set spans = [] %}
  {% for row in rows if row['operation'] == 'RESTORE' %}
    {% set stated = modules.re.search('\\bversion\\W+([0-9]+)', row['operationParameters'] | string) %}
    {% set moment = modules.re.search('\\btimestamp\\W+(\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:[.]\\d+)?)',
      row['operationParameters'] | string) %}
    {% set state = namespace(version=stated.group(1) | int if stated is not none else none) %}
    {# newest first #}
    {% for older in rows if state.version is none and moment is not none
        and dbt_kinds.seconds_of_commit(older['timestamp']) <= dbt_kinds.seconds_of_commit(moment.group(1)) %}
      {% set state.version = older['version'] | int %}
    {% endfor %}
    {% do spans.append([state.version, row['version'] | int]) if state.version is not none %}
  {% endfor %}
  {% do return(spans) %}
{% endmacro %}


{#
  The intervals that were loaded by commits in these spans of versions, or by one of these snapshots, and that were
  neither loaded nor withdrawn since. `events` are those of the table. Pure.
#}
{% macro intervals_of_commits(events, spans, snapshots) %}
  {% set lost = [] %}
  {% for event in events | sort(attribute='recorded_at')
      if event.event in ['loaded', 'invalidated'] and event.interval_start and event.interval_end %}
    {% set state = namespace(is_gone=event.event == 'loaded' and event.get('snapshot_id') in snapshots) %}
    {% for before, behind in spans
        if event.event == 'loaded' and event.get('snapshot_id') is not none and before < event.snapshot_id
        and event.snapshot_id < behind %}
      {% set state.is_gone = true %}
    {% endfor %}
    {% set interval = [event.interval_start, event.interval_end] %}
    {% set left = lost + [interval] if state.is_gone else dbt_kinds.subtract_intervals(lost, [interval]) %}
    {% do lost.clear() %}
    {% do lost.extend(dbt_kinds.merge_intervals(left)) %}
  {% endfor %}
  {% do return(lost) %}
{% endmacro %}
