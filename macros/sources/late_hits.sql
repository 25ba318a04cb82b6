{#
  What changed in a source since the loads of a model read it: `{hits, lost}`. A hit is `{units, first, last}`, the units that read one of its changes and were loaded before,
  and the values between which it changed; `lost` are the units of which nothing tells what they read. In numbers of units. Pure.

  `pieces` are what the model holds, `{start, end, since}`, `since` being where its source stood, none where that is lost; `changes` are `{position, first, end, …}`, those
  behind `since` being news to a piece.
#}
{% macro late_hits(pieces, changes, margins, unit) %}
  {% set ours, lost = [], [] %}
  {% for piece in pieces %}
    {% if piece.since is none %}
      {% do lost.append([dbt_kinds.unit_index(piece.start, unit), dbt_kinds.unit_index_after(piece.end, unit)]) %}
    {% elif ours and ours[-1].end == piece.start and ours[-1].started_at == dbt_kinds._padded(piece.since) %}
      {% do ours[-1].update({'end': piece.end}) %}
    {% else %}
      {% do ours.append({'start': piece.start, 'end': piece.end, 'started_at': dbt_kinds._padded(piece.since), 'recorded_at': ''}) %}
    {% endif %}
  {% endfor %}
  {% set hits = [] %}
  {% for change in changes %}
    {# a change is read as a load of a parent is that came after ours #}
    {% set theirs = [{'start': change.first, 'end': change.end, 'recorded_at': dbt_kinds._padded(change.position)}] %}
    {% set units = dbt_kinds.upstream_changes(ours, {'loads': theirs, 'margins': margins}, unit) %}
    {% do hits.append({'units': units, 'first': change.first, 'last': change.last}) if units %}
  {% endfor %}
  {% do return({'hits': hits, 'lost': dbt_kinds.merge_intervals(lost)}) %}
{% endmacro %}


{# A position as text that sorts as it does. #}
{% macro _padded(position) %}
  {% do return('%09d' | format(position)) %}
{% endmacro %}


{#
  The pieces of what a model holds with the position of an Iceberg table's history that each is known to agree with, none where it is lost. Pure.
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
  What is known of a source by each piece of what a model holds, `{start, end, note}`: what its load noted, or a later load noted of everything but its `stale`
  intervals; none where there is neither. Pure.
#}
{% macro agreed_notes(loads, noted, name) %}
  {% set state, pieces, by_moment = namespace(left=loads), [], dbt_kinds._by_moment(noted) %}
  {% for note in noted if note.sources.get(name, {}).get('stale') is not none %}
    {# of many notes the newest are enough #}
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
  The same of a table of files, where a load is its own position: `changed` are the partitions that have another hash than it noted, or that are there only for one of
  the two. Pure.
#}
{% macro pieces_of_partitions(loads, noted, source) %}
  {% set pieces, by_moment = [], dbt_kinds._by_moment(noted) %}
  {% for load in loads %}
    {% set own = dbt_kinds._own_note(load, by_moment, source.name) %}
    {% set piece = {'start': load.start, 'end': load.end, 'since': none, 'changed': []} %}
    {% if own is not none and own.get('partitions') is not none %}
      {% set now = dbt_kinds.note_of_source(source, [load.start, load.end]).partitions %}
      {% for start, end in dbt_kinds.read_of_source(source, [load.start, load.end]) %}
        {% for instant in (own.partitions.keys() | list + now.keys() | list) | unique if instant >= start and instant < end and own.partitions.get(instant) != now.get(instant) %}
          {% do piece.changed.append(instant) %}
        {% endfor %}
      {% endfor %}
      {% do piece.update({'since': 0}) %}
    {% endif %}
    {% do pieces.append(piece) %}
  {% endfor %}
  {% do return(pieces) %}
{% endmacro %}


{# Notes by the moment of their load: those of one append have the same. #}
{% macro _by_moment(noted) %}
  {% set by_moment = {} %}
  {% for note in noted %}
    {% do by_moment.setdefault(note.recorded_at, []).append(note) %}
  {% endfor %}
  {% do return(by_moment) %}
{% endmacro %}


{# What the load of a piece noted of a source, or none. #}
{% macro _own_note(load, by_moment, name) %}
  {% for note in by_moment.get(load.recorded_at, []) if note.start <= load.start and note.end >= load.end %}
    {% do return(note.sources.get(name)) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# What a window reads of a source, through all that the query reads it by. Pure. #}
{% macro read_of_source(source, window) %}
  {% set read = [] %}
  {% for margin in source.margins %}
    {% do read.append(dbt_kinds.source_window(window, margin)) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(read)) %}
{% endmacro %}
