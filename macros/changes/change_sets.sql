{#
  The kind `incremental_by_unique_key` with `capture: snapshot`: what a run reads, in plan.change_sets. It reads whole tables if the model's table is replaced, if a look-up changed,
  or if the version read last is gone or had other columns; otherwise only the rows that the captured tables gained. If nothing changed, the plan's batches are removed.
#}
{% macro plan_change_sets(node, options, plan, loads, sql) %}
  {% set captured = dbt_kinds.captured_tables(sql) %}
  {% set now, nodes = dbt_kinds.table_versions(node, sql), dbt_kinds.tables_read(node) %}
  {% do dbt_kinds.check_captured(options, captured, now) %}
  {% set latest = loads | sort(attribute='recorded_at') | last if loads and plan.run_type == 'incremental' else none %}
  {% set then = dbt_kinds.recorded_versions(options, latest.recorded_at) if latest else none %}
  {% set changed = dbt_kinds.changed_tables(node, then, now) %}
  {% do plan.update({'versions': now}) %}
  {% if then is not none and not changed and none not in now.values() | list %}
    {% do plan.update({'batches': [], 'missing': [], 'restated': []}) %}
    {% do return(none) %}
  {% endif %}
  {% set reads_changes = namespace(of_all=then is not none and captured != [] and none not in now.values() | list and changed | reject('in', captured) | list == []) %}
  {% for name in (captured if reads_changes.of_all else []) %}
    {% set reads_changes.of_all = reads_changes.of_all and dbt_kinds.state_since(nodes[name], then.get(name), now[name]) in ['same', 'readable'] %}
  {% endfor %}
  {% set change_sets = {} %}
  {% for name in captured %}
    {% do change_sets.update({name: [then[name].split(' ')[1] if reads_changes.of_all else none, now[name].split(' ')[1]]}) %}
  {% endfor %}
  {% do plan.update({'change_sets': change_sets}) %}
{% endmacro %}


{# Only Iceberg and Delta can return the rows that a table held earlier. #}
{% macro check_captured(options, captured, now) %}
  {% for name in captured %}
    {% set version = now.get(name) or '' %}
    {% if version.split(' ')[0] not in ['iceberg', 'delta'] %}
      {% do dbt_kinds.fail(options.model, name ~ ' has no snapshots, so nothing tells what it gained; read it by a cursor (@incremental, capture: cursor), keep it as Iceberg, or read it with ref '
        ~ 'or source instead of changes_of') %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{#
  How a captured table changed since a version: `same`; `readable` if a set operation can compare the two; `map` if it could but for columns of a type that set operations do not
  accept; `columns` if the columns changed, which would be paired by position; `gone` if the old version cannot be read any more. Asks Spark if the versions differ.
#}
{% macro state_since(node, then, now) %}
  {% if then == now %}
    {% do return('same') %}
  {% elif not then or then.split(' ')[0] != now.split(' ')[0] %}
    {% do return('gone') %}
  {% elif then.endswith(' None') %}
    {# the table was empty then #}
    {% do return('readable') %}
  {% endif %}
  {% set relation = dbt_kinds.relation_of_node(node) %}
  {% set file_format, since = now.split(' ')[0], then.split(' ')[1] %}
  {% if not dbt_kinds.has_snapshot(relation, file_format, since) %}
    {% do return('gone') %}
  {% endif %}
  {% set columns = [] %}
  {% for version in [since, now.split(' ')[1]] %}
    {% do columns.append(dbt_kinds.json_text(dbt_kinds.describe_query('select * from ' ~ relation ~ ' version as of ' ~ version))) %}
  {% endfor %}
  {% if columns[0] != columns[1] %}
    {% do return('columns') %}
  {% endif %}
  {% do return('map' if 'map<' in columns[0] else 'readable') %}
{% endmacro %}
