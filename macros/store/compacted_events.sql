{# The events that are equivalent to an old log, which is read part by part. #}
{% macro compacted_log(old, drop_unreadable=false) %}
  {% set compacted = [] %}
  {% for relations in old.parts %}
    {% do compacted.extend(dbt_kinds.compacted_events(dbt_kinds.read_old_log(old, relations), old.compacted_at,
      drop_unreadable)) %}
  {% endfor %}
  {% do return(compacted) %}
{% endmacro %}


{#
  The events that are equivalent to an old log, as read_old_log returns it, or to a part of it that has all events of
  its relations, each a mapping of the store's columns. A load keeps its own times only if they may still be needed: if
  the model has yet to follow a parent's change, or goes by changes itself; and the execution time if a schedule
  restates it. All other loads are treated as if made at `compacted_at`, the newest old moment of the store, models and
  parents alike, so that their order is preserved and adjacent loads can be merged.
#}
{% macro compacted_events(log, compacted_at, drop_unreadable=false) %}
  {% set rows_of, not_replayed = {},
    dbt_kinds.lease_events() + dbt_kinds.write_events() + dbt_kinds.findings_events() %}
  {% for row in log %}
    {% do rows_of.setdefault(row.get('relation', ''), []).append(row) %}
  {% endfor %}
  {% set nodes = {} %}
  {% for node in dbt_kinds.selected_models(none) %}
    {% do nodes.update({dbt_kinds.relation_key(node.database, node.schema, node.alias): node}) %}
  {% endfor %}
  {% set compacted, timeline_kinds = [], dbt_kinds.timeline_kinds() %}
  {% for relation, rows in rows_of.items() %}
    {% set unreadable = rows | selectattr('is_unreadable') | list %}
    {% if unreadable and not drop_unreadable %}
      {% do dbt_kinds.fail_unreadable(relation, unreadable[0]) %}
    {% endif %}
    {% set readable = rows | rejectattr('is_unreadable') | rejectattr('event', 'in', not_replayed) | list %}
    {% set has_merge_timeline = rows | selectattr('kind', 'in', timeline_kinds) | list != [] %}
    {# an announcement that is open stays so: it is put before the loads, and is no older than they are, because
       anything recorded later closes it #}
    {% set pending = dbt_kinds.announced_write(rows) %}
    {% do compacted.append(dict(pending, recorded_at=compacted_at)) if pending is not none %}
    {% if has_merge_timeline %}
      {# a restatement restores the table to its state after one of the merges, so each of them is kept #}
      {% do compacted.extend(readable) %}
    {% else %}
      {% set loads = dbt_kinds.fold_events(readable) %}
      {% for load in (dbt_kinds._merged_loads(loads, nodes[relation], compacted_at) if relation in nodes else loads) %}
        {% do compacted.append(dict(load, interval_start=load.start, interval_end=load.end)) %}
      {% endfor %}
    {% endif %}
    {% do compacted.extend(dbt_kinds.open_findings(rows) + dbt_kinds.last_refusal(rows)
      + dbt_kinds._notes_to_keep(readable, rows, nodes[relation] if relation in nodes else none)) %}
  {% endfor %}
  {% do return(compacted) %}
{% endmacro %}


{#
  What a model's last run noted, in a list. Not for a model whose loads are treated as if made now: what was noted for
  lookback: auto has become part of them. Of another project's model, everything noted after its last load.
#}
{% macro _notes_to_keep(recorded, rows, node) %}
  {% set latest = recorded | map(attribute='recorded_at') | max | default('', true) %}
  {% if node is none %}
    {% do return(dbt_kinds.notes_among(rows) | selectattr('recorded_at', 'gt', latest) | list) %}
  {% endif %}
  {% set note = dbt_kinds.note_after(latest, rows) if dbt_kinds.options_of(node).traits.is_change_driven else none %}
  {% do return([note] if note is not none else []) %}
{% endmacro %}


{# The loads of a model of this project, with indistinguishable adjacent ones merged. A log has very many, so no macro
   is called for each. #}
{% macro _merged_loads(loads, node, compacted_at) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% if options.traits.is_change_driven %}
    {% do return(dbt_kinds.loads_and_the_latest(loads)) %}
  {% endif %}
  {% set pending = [] %}
  {% for parent in dbt_kinds.followed_parents(node, options, none) %}
    {% do pending.extend(dbt_kinds.upstream_changes(loads, parent, options.unit)) %}
  {% endfor %}
  {% set pending = dbt_kinds.as_instants(dbt_kinds.merge_intervals(pending), options.unit, '9999') %}
  {% set stretches = [] %}
  {% for load in dbt_kinds._compacted_loads(dbt_kinds._known_loads(loads, options), pending, compacted_at) %}
    {% set last = stretches[-1] if stretches else {} %}
    {% set facts = [
      load.recorded_at, load.started_at, load.get('model_hash') or none, load.get('details') or none,
      load.get('execution_time') if options.auto_restatement is not none else none,
    ] %}
    {% set sources = load.get('sources', {}) %}
    {% set joined = none if last.end != load.start or last.facts != facts else sources if options.late_data is none
      else dbt_kinds.joined_sources(last.sources, sources) %}
    {% if joined is not none %}
      {% do last.loads.append(load) %}
      {% do last.update({'end': load.end, 'sources': joined}) %}
    {% else %}
      {% do stretches.append({'loads': [load], 'end': load.end, 'facts': facts, 'sources': sources}) %}
    {% endif %}
  {% endfor %}
  {% set merged = [] %}
  {% for stretch in stretches %}
    {% do merged.append(dbt_kinds._one_load(stretch.loads, stretch.sources)) %}
  {% endfor %}
  {% do return(merged) %}
{% endmacro %}


{# Loads that count as made at `compacted_at`, but for the pieces of them that are `pending`, which keep their times. #}
{% macro _compacted_loads(loads, pending, compacted_at) %}
  {% set compacted = [] %}
  {% for load in loads %}
    {% set uncompacted = dbt_kinds.intersect_intervals([[load.start, load.end]], pending) if pending else [] %}
    {% if not uncompacted %}
      {% do compacted.append(dict(load, recorded_at=compacted_at, started_at=compacted_at)) %}
    {% else %}
      {% do compacted.extend(dbt_kinds._pieces(load, uncompacted, compacted_at)) %}
    {% endif %}
  {% endfor %}
  {% do return(compacted) %}
{% endmacro %}


{% macro _pieces(load, uncompacted, compacted_at) %}
  {% set pieces = [] %}
  {% for start, end in (dbt_kinds.subtract_intervals([[load.start, load.end]], uncompacted) + uncompacted) | sort %}
    {% set piece = dict(load, start=start, end=end) %}
    {% do piece.update({'recorded_at': compacted_at, 'started_at': compacted_at}) if [start, end] not in uncompacted %}
    {% do piece.update({'rows_written': none, 'seconds': none}) if [start, end] != [load.start, load.end] %}
    {% do pieces.append(piece) %}
  {% endfor %}
  {% do return(pieces) %}
{% endmacro %}


{# Adjacent loads as one, and the state of its sources among its details. #}
{% macro _one_load(loads, sources) %}
  {% set last = loads[-1] %}
  {% set load = dict(loads[0], end=last.end, source='compact_store') %}
  {% if loads | length > 1 %}
    {% do load.update({
      'invocation_id': last.get('invocation_id'), 'snapshot_id': last.get('snapshot_id'),
      'execution_time': ([''] + loads | map(attribute='execution_time') | select | list) | max or none,
      'rows_written': dbt_kinds._sum_of(loads | map(attribute='rows_written') | list),
      'seconds': dbt_kinds._sum_of(loads | map(attribute='seconds') | list),
    }) %}
  {% endif %}
  {% if sources %}
    {% do load.update({'details': dbt_kinds.details_text(dict(dbt_kinds.details_of(load), sources=sources))}) %}
  {% endif %}
  {% do return(load) %}
{% endmacro %}


{#
  The loads of a model that goes by changes. The latest says what the next run starts from, and stays as it is; of the
  others only the intervals and their order matter, so adjacent ones are merged into one of the later time. Pure.
#}
{% macro loads_and_the_latest(loads) %}
  {% set latest = loads | map(attribute='recorded_at') | max | default('', true) %}
  {% set merged = [] %}
  {% for load in loads %}
    {% set last = merged[-1] if merged else none %}
    {% if last is not none and last.end == load.start and latest not in [last.recorded_at, load.recorded_at] %}
      {% do last.update({
        'end': load.end, 'recorded_at': [last.recorded_at, load.recorded_at] | max,
        'rows_written': dbt_kinds._sum_of([last.get('rows_written'), load.get('rows_written')]),
        'seconds': dbt_kinds._sum_of([last.get('seconds'), load.get('seconds')]),
      }) %}
    {% else %}
      {% do merged.append(dict(load, source='compact_store')) %}
    {% endif %}
  {% endfor %}
  {% do return(merged) %}
{% endmacro %}


{# Under lookback: auto, with the state of their sources kept separately from their other details. #}
{% macro _known_loads(loads, options) %}
  {% if options.late_data is none %}
    {% do return(loads) %}
  {% endif %}
  {% set known = [] %}
  {% for load in dbt_kinds.loads_with_sources(loads, dbt_kinds.noted_sources(options.relation)) %}
    {% set details = dbt_kinds.details_of(load) %}
    {% do details.pop('sources', none) %}
    {% do known.append(dict(load, details=dbt_kinds.details_text(details) if details else none)) %}
  {% endfor %}
  {% do return(known) %}
{% endmacro %}


{# A sum, or none if a value is missing. #}
{% macro _sum_of(values) %}
  {% set known = values | select('number') | list %}
  {% do return(known | sum if known | length == values | length else none) %}
{% endmacro %}
