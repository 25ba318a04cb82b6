{#
  The changes in a source since a model's loads read it: `{hits, lost}`. A hit is `{units, first, last}`, the units that
  read a change and were loaded before it, and the values between which the source changed; `lost` are the units for
  which it is unknown what they read. In unit numbers. Pure.

  `pieces` are the model's coverage, `{start, end, since}`, where `since` is the position of its source, none if
  unknown; `changes` are `{position, first, end, …}`, of which those after `since` are new to a piece.
#}
{% macro late_hits(pieces, changes, margins, unit) %}
  {% set ours, lost = [], [] %}
  {% for piece in pieces %}
    {% if piece.since is none %}
      {% do lost.append([dbt_kinds.unit_index(piece.start, unit), dbt_kinds.unit_index_after(piece.end, unit)]) %}
    {% elif ours and ours[-1].end == piece.start and ours[-1].started_at == dbt_kinds._padded(piece.since) %}
      {% do ours[-1].update({'end': piece.end}) %}
    {% else %}
      {% do ours.append({'start': piece.start, 'end': piece.end, 'started_at': dbt_kinds._padded(piece.since),
        'recorded_at': ''}) %}
    {% endif %}
  {% endfor %}
  {% set hits = [] %}
  {% for change in changes %}
    {# a change is treated like a load of a parent after ours #}
    {% set theirs = [{'start': change.first, 'end': change.end, 'recorded_at': dbt_kinds._padded(change.position)}] %}
    {% set units = dbt_kinds.upstream_changes(ours, {'loads': theirs, 'margins': margins}, unit) %}
    {% do hits.append({'units': units, 'first': change.first, 'last': change.last}) if units %}
  {% endfor %}
  {% do return({'hits': hits, 'lost': dbt_kinds.merge_intervals(lost)}) %}
{% endmacro %}


{# A position as a string that sorts numerically. #}
{% macro _padded(position) %}
  {% do return('%09d' | format(position)) %}
{% endmacro %}


{#
  The pieces of a model's coverage with the position in an Iceberg table's history that each is known to agree with,
  none if unknown. Pure.
#}
{% macro pieces_of_history(loads, noted, name, history) %}
  {% set pieces = [] %}
  {% for piece in dbt_kinds.agreed_notes(loads, noted, name) %}
    {% set since = dbt_kinds.position_of(history, piece.note.get('snapshot')) if piece.note is not none else none %}
    {% do pieces.append({'start': piece.start, 'end': piece.end, 'since': since}) %}
  {% endfor %}
  {% do return(pieces) %}
{% endmacro %}


{#
  What is known about a source for each piece of a model's coverage, `{start, end, note}`: what its load recorded, or
  what a later load recorded about everything except its `stale` intervals; none if there is neither. Pure.
#}
{% macro agreed_notes(loads, noted, name) %}
  {% set state, pieces, by_moment = namespace(left=loads), [], dbt_kinds._by_moment(noted) %}
  {% for note in noted if note.sources.get(name, {}).get('stale') is not none %}
    {# the newest notes are enough #}
    {% if not state.left or loop.index > 100 %}{% break %}{% endif %}
    {% set stale, left = dbt_kinds.merge_intervals(note.sources[name].stale), [] %}
    {% for load in state.left %}
      {% set agrees = load.recorded_at < note.recorded_at %}
      {% for start, end in dbt_kinds.subtract_intervals([[load.start, load.end]], stale) if agrees %}
        {% do pieces.append({'start': start, 'end': end, 'note': {'snapshot': note.sources[name].get('snapshot')}}) %}
      {% endfor %}
      {% for start, end in dbt_kinds.intersect_intervals([[load.start, load.end]], stale) if agrees %}
        {% do left.append({'start': start, 'end': end, 'recorded_at': load.recorded_at}) %}
      {% endfor %}
      {% do left.append(load) if not agrees %}
    {% endfor %}
    {% set state.left = left %}
  {% endfor %}
  {% for load in state.left %}
    {% do pieces.append({'start': load.start, 'end': load.end, 'note': dbt_kinds._own_note(load, by_moment, name)}) %}
  {% endfor %}
  {% do return(pieces | sort(attribute='start')) %}
{% endmacro %}


{#
  The same for a Parquet or ORC table, where a load is its own position: `changed` are the partitions whose hash differs
  from the recorded one, or that exist on one side only. Pure.
#}
{% macro pieces_of_partitions(loads, noted, source) %}
  {% set pieces, by_moment = [], dbt_kinds._by_moment(noted) %}
  {% for load in loads %}
    {% set own = dbt_kinds._own_note(load, by_moment, source.name) %}
    {% set piece = {'start': load.start, 'end': load.end, 'since': none, 'changed': []} %}
    {% if own is not none and own.get('partitions') is not none %}
      {% set now = dbt_kinds.note_of_source(source, [load.start, load.end]).partitions %}
      {% for start, end in dbt_kinds.read_of_source(source, [load.start, load.end]) %}
        {% for instant in (own.partitions.keys() | list + now.keys() | list) | unique
            if instant >= start and instant < end and own.partitions.get(instant) != now.get(instant) %}
          {% do piece.changed.append(instant) %}
        {% endfor %}
      {% endfor %}
      {% do piece.update({'since': 0}) %}
    {% endif %}
    {% do pieces.append(piece) %}
  {% endfor %}
  {% do return(pieces) %}
{% endmacro %}


{# Notes by the moment of their load, which is the same for all loads of one append. Those of runs without a load have
   no interval. #}
{% macro _by_moment(noted) %}
  {% set by_moment = {} %}
  {% for note in noted if note.start %}
    {% do by_moment.setdefault(note.recorded_at, []).append(note) %}
  {% endfor %}
  {% do return(by_moment) %}
{% endmacro %}


{# What the load of a piece recorded about a source, or none. #}
{% macro _own_note(load, by_moment, name) %}
  {% for note in by_moment.get(load.recorded_at, []) if note.start <= load.start and note.end >= load.end %}
    {% do return(note.sources.get(name)) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# The ranges of a source that a window reads, over all window_of calls of the query. Pure. #}
{% macro read_of_source(source, window) %}
  {% set read = [] %}
  {% for margin in source.margins %}
    {% do read.append(dbt_kinds.source_window(window, margin)) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(read)) %}
{% endmacro %}
