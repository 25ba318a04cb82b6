{#
  The changes in a table after a position in its history, `[{position, first, last}]`: the smallest and greatest `value`
  of a column in what changed together, as instants truncated to seconds. For Iceberg these are the files that commits
  added and removed, compactions excepted, and no data are read; for Delta the rows of its change data feed.
#}
{% macro changed_files(model_name, facts, column, values, since, value='{}') %}
  {% set history, snapshots = dbt_kinds.snapshot_history(facts), [] %}
  {% for snapshot in history.snapshots[since:] if snapshot.operation != 'replace' %}
    {% do snapshots.append(snapshot.snapshot_id) %}
  {% endfor %}
  {% set place = value | replace('{}', column) %}
  {% set known = facts.changes.get(place) %}
  {% if known is none or known.since > since %}
    {% set query = none if not snapshots
      else dbt_kinds.changed_rows_query(facts.relation, dbt_kinds.quoted(column), values, snapshots, value)
      if facts.file_format == 'delta'
      else dbt_kinds.changed_files_query(facts.relation, facts.partitioning, dbt_kinds.quoted(column), values,
      snapshots, value) %}
    {% set rows = dbt_kinds.query_rows(query) if query is not none else [] %}
    {% for row in rows if row.get('unmeasured') %}
      {% do dbt_kinds.fail(model_name,
        'lookback: auto reads which values of ' ~ column ~ ' a file of ' ~ facts.relation
          ~ ' has from its metrics, and a file has none: set its table property '
          ~ "write.metadata.metrics.column." ~ column
          ~ " to 'full' and rewrite its files, or write lookback as a number") %}
    {% endfor %}
    {% set known = {'since': since, 'rows': rows} %}
    {% do facts.changes.update({place: known}) %}
  {% endif %}
  {% set changes = [] %}
  {% for row in known.rows if row.first is defined and history.positions[row.snapshot_id] > since %}
    {% do changes.append({
      'position': history.positions[row.snapshot_id], 'first': dbt_kinds.instant_at(row.first),
      'last': dbt_kinds.instant_at(row.last),
    }) %}
  {% endfor %}
  {% do return(changes) %}
{% endmacro %}


{#
  SQL: one row per snapshot and pair of bounds, in seconds since 1970. A few snapshots are queried one by one, since
  each knows its own commit: 0.1 s, where all entries of 2,000 snapshots take 5 s. A position delete file has no bounds
  of its own, so those of its partition's files are used. Pure.
#}
{% macro changed_files_query(relation, partitioning, column, values, snapshots, value='{}') %}
  {% set metrics = 'readable_metrics.' ~ column %}
  {% set entries = [] %}
  {% set read = 'select snapshot_id, status, data_file.content, data_file.record_count, '
    ~ ('data_file.spec_id, data_file.partition, ' if partitioning else '') ~ metrics ~ ' as metrics from ' ~ relation %}
  {% if snapshots | length <= 50 %}
    {% for snapshot_id in snapshots %}
      {% do entries.append('select *, snapshot_id = ' ~ snapshot_id ~ ' as is_new, ' ~ snapshot_id ~ ' as asked from ('
        ~ read ~ '.entries version as of ' ~ snapshot_id ~ ')') %}
    {% endfor %}
  {% else %}
    {% do entries.append('select *, snapshot_id in (' ~ snapshots | join(', ') ~ ') as is_new, 0 as asked from (' ~ read
      ~ '.all_entries)') %}
  {% endif %}
  {% set place = 'partition by asked' ~ (', spec_id, to_json(partition)' if partitioning else '') %}
  {% set bounds = {} %}
  {% for side, function in {'lower_bound': 'min', 'upper_bound': 'max'}.items() %}
    {% set own = 'metrics.' ~ side %}
    {% do bounds.update({side: 'if(content = 0, ' ~ own ~ ', ' ~ function ~ '(if(content = 0, ' ~ own
      ~ ', null)) over (' ~ place ~ '))'}) %}
  {% endfor %}
  {% set sql -%}
select snapshot_id, first, last, nullif(max(is_unmeasured), false) as unmeasured
from (
  select
    snapshot_id, {{ dbt_kinds.clamped_seconds(value | replace('{}', 'lower_bound'), values) }} as first,
    {{ dbt_kinds.clamped_seconds(value | replace('{}', 'upper_bound'), values) }} as last,
    content = 0 and record_count > 0 and (lower_bound is null or upper_bound is null)
      and not coalesce(metrics.null_value_count = metrics.value_count, false) as is_unmeasured
  from (
    select *, {{ bounds.lower_bound }} as lower_bound, {{ bounds.upper_bound }} as upper_bound
    from (
{{ entries | join('\nunion all\n') }}
    )
  )
  where is_new and status in (1, 2)
)
group by snapshot_id, first, last
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the same from the change data feed of a Delta table; rows of one hour count as changed together. Pure. #}
{% macro changed_rows_query(relation, column, values, versions, value='{}') %}
  {% set sql -%}
select snapshot_id, min(at) as first, max(at) as last
from (
  select _commit_version as snapshot_id, {{ dbt_kinds.clamped_seconds(value | replace('{}', column), values) }} as at
  from table_changes({{ dbt_kinds.text_literal(relation | string) }}, {{ versions | first }}, {{ versions | last }})
)
where at is not null
group by snapshot_id, {{ dbt_kinds.floored_quotient('at', 3600) }}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the seconds since 1970 of a time value, clamped to the supported years. Pure. #}
{% macro clamped_seconds(column, values) %}
  {% set microseconds = '(' ~ dbt_kinds.microseconds(column, values) ~ ')' %}
  {% do return('if(' ~ microseconds ~ ' is null, null, greatest(-30610224000, least(253339228800, '
    ~ dbt_kinds.floored_quotient(microseconds, 1000000) ~ ')))') %}
{% endmacro %}


{# The instant of a number of seconds since 1970. Pure. #}
{% macro instant_at(seconds) %}
  {% do return((modules.datetime.datetime(1970, 1, 1) + modules.datetime.timedelta(seconds=seconds)).isoformat()) %}
{% endmacro %}
