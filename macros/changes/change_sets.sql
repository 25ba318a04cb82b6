{#
  The kind `incremental_by_unique_key` with `capture: snapshot`: what a run reads, in plan.change_sets. It reads whole
  tables if the model's table is replaced, if a look-up changed, or if the version read last is gone or had other
  columns; otherwise only the rows that the captured tables gained.
#}
{% macro plan_change_sets(node, options, run) %}
  {% set plan, sql = dbt_kinds.plan_comparison(node, options, run), run.sql %}
  {% if dbt_kinds.is_partial_run() %}
    {% do return(plan) %}
  {% endif %}
  {% set captured = dbt_kinds.captured_tables(sql) %}
  {% set nodes = dbt_kinds.tables_read(node, sql) %}
  {% set now = dbt_kinds.table_versions(node, nodes, sql) %}
  {% do dbt_kinds.check_captured(options, captured, now) %}
  {% set then = dbt_kinds.recorded_versions(options, dbt_kinds.latest_load(run.loads)) if plan.run_type == 'incremental'
    else none %}
  {% set is_known = then is not none and none not in now.values() | list %}
  {% set changes = {} %}
  {% for name in (captured if is_known else []) %}
    {% do changes.update({name: dbt_kinds.change_since(nodes[name], then.get(name), now[name])}) %}
  {% endfor %}
  {% set lookups = {} %}
  {% for name in now if name not in captured %}
    {% do lookups.update({name: now[name]}) %}
  {% endfor %}
  {% set changed_lookups = dbt_kinds.changed_tables(nodes, then, lookups) if is_known else [] %}
  {% set states = changes.values() | map(attribute='state') | list %}
  {% set is_same = is_known and not changed_lookups and states | reject('eq', 'same') | list == [] %}
  {% set reads_changes = is_known and captured != [] and not changed_lookups
    and states | reject('in', ['same', 'readable']) | list == [] %}
  {% set change_sets = {} %}
  {% for name in captured %}
    {# before a compaction, the same rows may have expired #}
    {% set since = now if reads_changes and changes[name].state == 'same' else then if reads_changes else {} %}
    {% do change_sets.update({name: [since[name].split(' ')[1] if reads_changes else none, now[name].split(' ')[1]]
      + (changes[name].feed if reads_changes else [])}) %}
  {% endfor %}
  {% set decided = dict(plan, versions=now, change_sets=change_sets) %}
  {% if is_same and not dbt_kinds.has_rows_of_nothing(options, decided, nodes, sql) %}
    {% do return(dbt_kinds.with_nothing_to_do(decided, dbt_kinds.versions_to_note(now, then, now))) %}
  {% endif %}
  {% do return(decided) %}
{% endmacro %}


{# Only Iceberg and Delta can return the rows that a table held earlier. #}
{% macro check_captured(options, captured, now) %}
  {% for name in captured %}
    {% set version = now.get(name) or '' %}
    {% if version.split(' ')[0] not in ['iceberg', 'delta'] %}
      {% do dbt_kinds.fail(options.model,
        name ~ ' has no snapshots, so its new rows cannot be determined; read it by a cursor (@incremental, capture: cursor), keep it as Iceberg, or read it with ref '
        ~ 'or source instead of changes_of') %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{#
  How a captured table changed since a version, `{state, is_appended, updates_nothing, feed}`. state: `same` if only
  compactions lie between; `readable` if a set operation can compare the two; `map` if it could but for columns of a
  type that set operations do not accept; `columns` if the columns changed, which would be paired by position; `gone` if
  the old version cannot be read any more. is_appended: whether new files alone show the change, because there were only
  appends and compactions. updates_nothing: there were only these, and commits that removed rows and wrote none. feed: a
  list of the query that reads the gained rows from the change data feed of a Delta table, empty if it has not all of
  them. Asks Spark if the versions differ.
#}
{% macro change_since(node, then, now) %}
  {% set unknown = {'is_appended': false, 'updates_nothing': false, 'feed': []} %}
  {% if then == now %}
    {% do return(dict(unknown, state='same')) %}
  {% elif not then or then.split(' ')[0] != now.split(' ')[0] %}
    {% do return(dict(unknown, state='gone')) %}
  {% elif then.endswith(' None') %}
    {# the table was empty then #}
    {% do return(dict(unknown, state='readable')) %}
  {% endif %}
  {% set relation = dbt_kinds.relation_of_node(node) %}
  {% set file_format, since, until = now.split(' ')[0], then.split(' ')[1], now.split(' ')[1] %}
  {% set is_iceberg = file_format == 'iceberg' %}
  {% set snapshots = dbt_kinds.snapshots_of(relation, file_format) %}
  {% set between = dbt_kinds.snapshots_between(snapshots, since | int, until | int) %}
  {% if dbt_kinds.is_of_another_table(then.split(' ')[1:], snapshots) %}
    {% do return(dict(unknown, state='gone')) %}
  {% elif dbt_kinds.are_compactions(between) %}
    {% do return(dict(unknown, state='same')) %}
  {% elif not snapshots.get(since | int, {'is_readable': false}).get('is_readable', true) %}
    {% do return(dict(unknown, state='gone')) %}
  {% endif %}
  {% set described = dbt_kinds.describe_write('select * from ' ~ relation ~ ' version as of ' ~ since,
    table=relation ~ ' version as of ' ~ until) %}
  {% set is_same = dbt_kinds.json_text(dbt_kinds.row_type(described.query))
    == dbt_kinds.json_text(dbt_kinds.row_type(described.table)) %}
  {% set state = 'columns' if not is_same else 'incomparable' if dbt_kinds.has_incomparable(described.query)
    else 'readable' %}
  {% set others = between | map(attribute='operation') | reject('in', ['append', 'replace']) | list
    if is_iceberg and between is not none else none %}
  {% set has_feed = state == 'readable' and not is_iceberg
    and dbt_kinds.has_feed_since(snapshots, since | int, between) %}
  {% do return({
    'state': state, 'is_appended': others == [],
    'updates_nothing': others is not none and others | reject('eq', 'delete') | list == [],
    'feed': [dbt_kinds.rows_of_feed(relation, dbt_kinds.quoted_names(described.query), since | int, until | int)]
      if has_feed else [],
  }) %}
{% endmacro %}


{#
  SQL: the rows that a Delta table gained behind one version up to another, from its change data feed, which reads what
  changed and no more. What was written without what was removed is, row by row, what `except all` of the two versions
  is. Pure.
#}
{% macro rows_of_feed(relation, columns, since, until) %}
  {% set changes = 'select ' ~ columns | join(', ') ~ ' from table_changes(' ~ dbt_kinds.text_literal(relation | string)
    ~ ', ' ~ (since + 1) ~ ', ' ~ until ~ ') where _change_type in ' %}
  {% do return(changes ~ "('insert', 'update_postimage') except all " ~ changes ~ "('delete', 'update_preimage')") %}
{% endmacro %}
