{#
  The sources of a model under lookback: auto as they are now, for the record of what an operation adopts,
  `{sources, unknown}`: `sources` as late_data returns them, and the recorded intervals of which it is unknown what
  their sources were, except those that are late. Empty for other models.
#}
{% macro adopted_sources(node, options) %}
  {% if options.late_data is none %}
    {% do return({'sources': [], 'unknown': []}) %}
  {% endif %}
  {% set parents = dbt_kinds.followed_parents(node, options, none, has_loads=false) %}
  {% set found = dbt_kinds.late_data(node, options, dbt_kinds.loads_of(options.relation),
    dbt_kinds.run_settings(node.name), none, parents) %}
  {% set unnamed = dbt_kinds._unnamed_sources(node, options, parents, found.sources) %}
  {% set late, unknown = [], [] %}
  {% for source in found.late %}
    {% do unknown.extend(source.lost) %}
    {% for hit in source.hits %}{% do late.extend(hit.units) %}{% endfor %}
  {% endfor %}
  {% for source in (unnamed if not found.sources else []) %}
    {% do unknown.extend(source.lost) %}
  {% endfor %}
  {% set units = dbt_kinds.subtract_intervals(dbt_kinds.merge_intervals(unknown), dbt_kinds.merge_intervals(late)) %}
  {% do return({'sources': found.sources + unnamed, 'unknown': dbt_kinds.as_instants(units, options.unit, '9999')}) %}
{% endmacro %}


{# An operation has no compiled query, and window_of may stand in a macro: the other Iceberg tables that the model
   reads, each also with the `lost` units, as late_hits returns them. #}
{% macro _unnamed_sources(node, options, parents, sources) %}
  {% set known = sources | map(attribute='name') | list + dbt_kinds.unwatched_relations(options, parents) %}
  {% set found = [] %}
  {% for read in dbt_kinds.tables_read(node, none).values() %}
    {% set relation = dbt_kinds.relation_of_node(read) %}
    {% set key = dbt_kinds.relation_key(relation.database, relation.schema, relation.identifier) %}
    {% if key not in known and dbt_kinds.relation_type(relation) == 'table'
        and dbt_kinds.supports_snapshots(dbt_kinds.source_facts(key).file_format) %}
      {% set history = dbt_kinds.snapshot_history(dbt_kinds.source_facts(key)) %}
      {% set pieces = dbt_kinds.pieces_of_history(dbt_kinds.loads_of(options.relation),
        dbt_kinds.noted_sources(options.relation), key, history) %}
      {% do found.append({'name': key, 'snapshot': history.head, 'hashes': none, 'stale': none,
        'lost': dbt_kinds.late_hits(pieces, [], [], options.unit).lost}) %}
    {% endif %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# The adopted intervals as events, with the state of the model's sources before its table was read; `versions` is what
   adopted_versions returns. Pure. #}
{% macro adoptions_of(intervals, execution_time, started_at, sources, versions=none) %}
  {% set events = [] %}
  {% for event in dbt_kinds.manual_load_events(intervals, execution_time) %}
    {% set states = dbt_kinds.states_of_sources(sources, [event.interval_start, event.interval_end]) %}
    {% set details = dict(versions or {}, **({'sources': states} if states else {})) %}
    {% do events.append(dict(event, started_at=started_at, details=details or none)) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}
