{#
  The history of an Iceberg or Delta table: `{head, is_whole, positions, snapshots}`. `snapshots` are the current one
  and its ancestors, oldest first, `{snapshot_id, operation}`, as far as they are retained; `positions` are their
  positions, from 1, and 0 for one that expired directly before them; `is_whole` means that none has expired.
  `head` is none for a table without a snapshot; on Delta it is as noted_version has it, and `versions` are those of
  delta_versions. Read once per run.
#}
{% macro snapshot_history(facts) %}
  {% if facts.history is none and facts.file_format == 'delta' %}
    {% set rows = dbt_kinds.delta_history(facts.relation) %}
    {% do facts.update({'history': dict(dbt_kinds.history_of_snapshots(dbt_kinds.versions_with_changes(rows)),
      head=dbt_kinds.noted_version(rows[0]), versions=dbt_kinds.delta_versions(rows))}) %}
  {% elif facts.history is none %}
    {% set sql %}
select s.snapshot_id, s.parent_id, s.operation, if(r.name is null, null, true) as is_head
from {{ facts.relation }}.snapshots as s
left join (select name, snapshot_id from {{ facts.relation }}.refs where name = 'main') as r
on r.snapshot_id = s.snapshot_id
    {%- endset %}
    {% do facts.update({'history': dbt_kinds.history_of_snapshots(dbt_kinds.query_rows(sql))}) %}
  {% endif %}
  {% do return(facts.history) %}
{% endmacro %}


{#
  The versions of a Delta table, newest first, as rows for history_of_snapshots: those whose changes the change data
  feed has, which are the ones since it was last turned on. `rows` are those of `describe history`.
#}
{% macro versions_with_changes(rows) %}
  {% set versions = [] %}
  {% for row in rows %}
    {% set version = row['version'] | int %}
    {% do versions.append({'snapshot_id': version, 'parent_id': version - 1 if version > 0 else none,
      'operation': row['operation'], 'is_head': true if loop.first else none}) %}
    {% if 'delta.enableChangeDataFeed' in row['operationParameters'] | string %}
      {% do return(versions) %}
    {% endif %}
  {% endfor %}
  {% do return(versions) %}
{% endmacro %}


{# The same from the rows of a table's snapshots, `{snapshot_id, parent_id, operation, is_head}`. Pure. #}
{% macro history_of_snapshots(rows) %}
  {% set by_id, state = {}, namespace(at=none) %}
  {% for row in rows %}
    {% do by_id.update({row.snapshot_id: row}) %}
    {% if row.get('is_head') %}{% set state.at = row.snapshot_id %}{% endif %}
  {% endfor %}
  {% set head, backwards = state.at, [] %}
  {% for _ in rows if state.at in by_id %}
    {% do backwards.append(by_id[state.at]) %}
    {% set state.at = by_id[state.at].get('parent_id') %}
  {% endfor %}
  {# the parent id of the first retained snapshot is known, and all later snapshots exist #}
  {% set positions = {state.at: 0} if state.at is not none else {} %}
  {% for snapshot in backwards | reverse %}
    {% do positions.update({snapshot.snapshot_id: loop.index}) %}
  {% endfor %}
  {% do return({'head': head, 'is_whole': state.at is none, 'positions': positions,
    'snapshots': backwards | reverse | list}) %}
{% endmacro %}


{# The position of a snapshot, 0 for the table before its first one; none if it is not an ancestor or not retained.
   Pure. #}
{% macro position_of(history, snapshot_id) %}
  {% if snapshot_id is none %}
    {% do return(0 if history.is_whole else none) %}
  {% endif %}
  {% set noted = (snapshot_id | string).split(' ') %}
  {% if noted | length == 1 %}
    {% do return(history.positions.get(snapshot_id)) %}
  {% endif %}
  {% do return(none if dbt_kinds.is_of_another_table(noted, history.versions)
    else history.positions.get(noted[0] | int)) %}
{% endmacro %}
