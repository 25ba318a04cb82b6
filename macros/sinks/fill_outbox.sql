{#
  Puts the changes of a table since its last delta into the outbox: first the rows, then the delta that makes them
  count. If a run dies after its write and before this, the next run catches up, even one that has nothing to load. A
  `resync` treats all rows as new.
#}
{% macro fill_outbox(relation, options, resync=false) %}
  {% if 'sink' not in options or dbt_kinds.is_partial_run() or dbt_kinds.relation_type(relation) != 'table' %}
    {% do return(none) %}
  {% endif %}
  {% set now = dbt_kinds._version_to_send(relation, options) %}
  {% set last = dbt_kinds.last_delta(options) %}
  {% if now is none or (last.version == now and not resync) %}
    {% do return(none) %}
  {% endif %}
  {% set is_lost = last.version is not none and not resync and not dbt_kinds._can_be_read(relation, options, last) %}
  {% set delta = {'delta': last.delta + 1,
    'fill': local_md5(invocation_id ~ options.unique_id ~ dbt_kinds.next_moment())[:16], 'version': now,
    'status': 'resync' if resync else 'gap' if is_lost else 'changes'} %}
  {% if is_lost %}
    {% do dbt_kinds.warn_of_gap(options) %}
  {% endif %}
  {% set now_rows = dbt_kinds.rows_to_send(relation, options, now) %}
  {% if not dbt_kinds.supports_snapshots(options.file_format) %}
    {% do dbt_kinds._keep_sent_rows(relation, delta.fill, now_rows) %}
    {% set now_rows = dbt_kinds._sent_rows(relation, delta.fill) %}
  {% endif %}
  {% if not is_lost %}
    {% set then_rows = dbt_kinds._rows_of_delta(relation, options, last) if last.version is not none and not resync
      else none %}
    {% do dbt_kinds.append_to_outbox(options.relation, 'change',
      dbt_kinds.row_changes(then_rows, now_rows, delta, dbt_kinds.sink_keys(options))) %}
  {% endif %}
  {% do dbt_kinds.append_to_outbox(options.relation, 'delta', [dict(delta, moment=dbt_kinds.next_moment())]) %}
  {% if not dbt_kinds.supports_snapshots(options.file_format) %}
    {% do dbt_kinds._drop_sent_rows(relation, delta.fill) %}
  {% endif %}
{% endmacro %}


{# The newest delta of a model: `{delta, fill, version}`, number 0 and no version if there is none. #}
{% macro last_delta(options) %}
  {% set found = dbt_kinds.query_rows(dbt_kinds.deltas_query('relation = ' ~ dbt_kinds.text_literal(options.relation))
    ~ '\norder by delta desc limit 1') %}
  {% do return(dict({'delta': 0, 'fill': none, 'version': none}, **(found[0] if found else {}))) %}
{% endmacro %}


{# How the rows of a table are identified: by `unique_key`, by the rows of a `group`, or not at all. #}
{% macro sink_keys(options) %}
  {% do return('group' if options.get('duplicate_keys') == 'replace_all' else options.traits.row_key) %}
{% endmacro %}


{# The version of the last delta is gone: says how to send the whole table. #}
{% macro warn_of_gap(options) %}
  {% do dbt_kinds.warn(options.model,
    'the changes since the outbox was last filled cannot be determined, because that version of ' ~ options.relation
    ~ ' has expired; to send the whole table as inserts: dbt-kinds push --select ' ~ options.model ~ ' --resync') %}
{% endmacro %}


{# The version of a table, as a string: a snapshot, a version, or for Parquet and ORC the moment of the last load; none
   for an empty table without a snapshot. #}
{% macro _version_to_send(relation, options) %}
  {% if dbt_kinds.supports_snapshots(options.file_format) %}
    {% set snapshot = dbt_kinds.current_snapshot(relation, options.file_format) %}
    {% do return(none if snapshot is none else snapshot | string) %}
  {% endif %}
  {% do return(dbt_kinds.events_of(options.relation) | map(attribute='recorded_at') | list | max or none) %}
{% endmacro %}


{% macro _can_be_read(relation, options, delta) %}
  {% if dbt_kinds.supports_snapshots(options.file_format) %}
    {% do return(dbt_kinds.matches('-?\\d+', delta.version)
      and dbt_kinds.has_snapshot(relation, options.file_format, delta.version | int)) %}
  {% endif %}
  {% do return(dbt_kinds.relation_type(dbt_kinds.sent_table(relation)) is not none
    and ('fill=' ~ delta.fill) in dbt_kinds._sent_partitions(relation)) %}
{% endmacro %}


{% macro _rows_of_delta(relation, options, delta) %}
  {% if dbt_kinds.supports_snapshots(options.file_format) %}
    {% do return(dbt_kinds.rows_to_send(relation, options, delta.version)) %}
  {% endif %}
  {% do return(dbt_kinds._sent_rows(relation, delta.fill)) %}
{% endmacro %}


{#
  Parquet and ORC tables have no versions, so the rows of the last delta are kept beside the table, in a partition named
  after its fill. A partition that no delta names was left by a dead run.
#}
{% macro sent_table(relation) %}
  {% do return(relation.incorporate(path={'identifier': relation.identifier ~ '__kinds_sent'}, type='table')) %}
{% endmacro %}


{% macro _keep_sent_rows(relation, fill, rows) %}
  {% set sent = dbt_kinds.sent_table(relation) %}
  {% if dbt_kinds.relation_type(sent) is none %}
    {% call statement('create_sent') %}
      create table if not exists {{ sent }} (key string, row string, fill string) using parquet partitioned by (fill)
      {% endcall %}
    {% do dbt_kinds.cache_table(sent) %}
  {% endif %}
  {% call statement('keep_sent') %}
insert overwrite table {{ sent }} partition (fill = {{ dbt_kinds.text_literal(fill) }})
{{ rows }}
  {% endcall %}
{% endmacro %}


{% macro _sent_rows(relation, fill) %}
  {% do return('select key, row from ' ~ dbt_kinds.sent_table(relation) ~ ' where fill = '
    ~ dbt_kinds.text_literal(fill)) %}
{% endmacro %}


{% macro _sent_partitions(relation) %}
  {% do return(run_query('show partitions ' ~ dbt_kinds.sent_table(relation)).columns[0].values() | list) %}
{% endmacro %}


{% macro _drop_sent_rows(relation, kept) %}
  {% for partition in dbt_kinds._sent_partitions(relation) if partition != 'fill=' ~ kept %}
    {% call statement('drop_sent') %}
      alter table {{ dbt_kinds.sent_table(relation) }} drop if exists
        partition (fill = {{ dbt_kinds.text_literal(partition[5:]) }}){% endcall %}
  {% endfor %}
{% endmacro %}
