{#
  What a write asks about the table under the lease, as queries of one value by name, which are answered by the read of
  the claim: the current snapshot of an Iceberg table (`head`); for tables of files, the time of the newest file
  (`newest_file`), in microseconds since 1970. Pure.
#}
{% macro table_state_queries(relation, options, existing) %}
  {% if existing is none or existing.is_view or existing.file_format != options.file_format %}
    {% do return({}) %}
  {% elif existing.file_format == 'iceberg' %}
    {% do return({'head': 'select max(snapshot_id) from ' ~ relation ~ ".refs where name = 'main'"}) %}
  {% elif dbt_kinds.is_file_format(existing.file_format)
      and (options.traits.replaces_partitions or (options.traits.appends_rows and not options.traits.accumulates)) %}
    {% do return({'newest_file': 'select unix_micros(max(_metadata.file_modification_time)) from ' ~ relation}) %}
  {% endif %}
  {% do return({}) %}
{% endmacro %}


{# One fact of the table's state; queried separately if the table has changed since the claim. The `head` of a Delta
   table, its version, always is: no query can ask for it. #}
{% macro table_state(relation, run_context, name) %}
  {% if name not in run_context.table_state and name == 'head' and run_context.options.file_format == 'delta' %}
    {% do run_context.table_state.update({'head': dbt_kinds.current_snapshot(relation, 'delta')}) %}
  {% elif name not in run_context.table_state %}
    {% set existing = {'is_view': false, 'file_format': run_context.options.file_format} %}
    {% set query = dbt_kinds.table_state_queries(relation, run_context.options, existing).get(name) %}
    {% do run_context.table_state.update({name: none if query is none
      else dbt_kinds.query_rows('select (' ~ query ~ ') as ' ~ name)[0].get(name)}) %}
  {% endif %}
  {% do return(run_context.table_state[name]) %}
{% endmacro %}


{#
  A Spark session caches an Iceberg table for half a minute, and a merge would not see what another application wrote.
  So the table is refreshed if its snapshot is not the one recorded last; after a claim that was asked for ahead, which
  brought no answers, in any case: asking for the snapshot takes ten times as long.
#}
{% macro refresh_if_stale(relation, run_context) %}
  {% if not run_context.options.traits.reads_its_table %}
    {% do return(none) %}
  {% endif %}
  {% set state = run_context.table_state %}
  {% set is_unknown = dbt_kinds.was_claimed_ahead(run_context.options)
    and 'head' in run_context.get('table_state_queries', {}) %}
  {% if is_unknown or (state.get('head') is not none and state.head != state.get('recorded_head')) %}
    {% call statement('refresh_table') %}refresh table {{ relation }}{% endcall %}
    {% do state.pop('head', none) %}
  {% endif %}
{% endmacro %}
