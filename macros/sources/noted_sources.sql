{#
  What the loads of a relation recorded about the sources they read, and later runs that had nothing to load,
  `{start, end, recorded_at, sources}`, newest first. `sources` maps a source to `{snapshot}`, an Iceberg table's
  snapshot before it was read, or to `{partitions}`, the hashes of the partitions that were read. `stale` means that
  everything recorded by then agrees with that snapshot, except those intervals.
#}
{% macro noted_sources(relation) %}
  {% set log = dbt_kinds.log_of(relation) %}
  {% set views = log.views %}
  {% if 'sources' not in views %}
    {% set noted = [] %}
    {% for row in dbt_kinds._rows_with_notes(log.rows) if '"sources"' in (row.get('details') or '') %}
      {% do noted.append({'start': row.get('interval_start'), 'end': row.get('interval_end'),
        'recorded_at': row.recorded_at, 'sources': dbt_kinds.details_of(row).sources}) %}
    {% endfor %}
    {% do views.update({'sources': dbt_kinds.sorted_backwards(noted, 'recorded_at')}) %}
  {% endif %}
  {% do return(views.sources) %}
{% endmacro %}


{# The events of a log that say what was read: notes, and loads with the state of their sources. #}
{% macro _rows_with_notes(rows) %}
  {% set found = dbt_kinds.notes_among(rows) %}
  {% for row in rows if row.event == 'loaded' and '"sources"' in (row.get('details') or '') %}
    {% do found.append(row) %}{% endfor %}
  {% do return(found) %}
{% endmacro %}


{#
  What a plan without batches notes under lookback: auto: its sources' snapshots as they are now, once a day, because
  those that were noted last may expire. A Parquet or ORC table has none. Else none.
#}
{% macro snapshots_to_note(options, plan, sources) %}
  {% set rows = dbt_kinds._rows_with_notes(dbt_kinds.log_of(options.relation).rows) | sort(attribute='recorded_at')
    | list %}
  {% set last = rows[-1] if rows else {} %}
  {% set known = dbt_kinds.details_of(last).get('sources', {}) %}
  {% set seen, state = {}, namespace(is_new=false) %}
  {% for source in sources if source.hashes is none and source.stale is not none and source.name in known %}
    {% do seen.update({source.name: dbt_kinds.note_of_source(source, none)}) %}
    {% set state.is_new = state.is_new or source.snapshot != known[source.name].get('snapshot') %}
  {% endfor %}
  {% set is_due = state.is_new and dbt_kinds.seconds_between(last.get('execution_time') or plan.execution_time,
    plan.execution_time) >= 86400 %}
  {% do return({'details': {'sources': seen}} if is_due and not dbt_kinds.is_partial_run() else none) %}
{% endmacro %}


{# The state of some sources for the record of a batch. Pure. #}
{% macro states_of_sources(read, batch) %}
  {% set states = {} %}
  {% for source in read %}
    {% do states.update({source.name: dbt_kinds.note_of_source(source, batch)}) %}
  {% endfor %}
  {% do return(states) %}
{% endmacro %}


{# The same for one source. Pure. #}
{% macro note_of_source(source, batch) %}
  {% if source.hashes is none %}
    {% set note = {'snapshot': source.snapshot} %}
    {% do note.update({'stale': source.stale}) if source.stale is not none %}
    {% do return(note) %}
  {% endif %}
  {% set hashes = {} %}
  {% for start, end in dbt_kinds.read_of_source(source, batch) %}
    {% for instant, hash in source.hashes.items() if instant >= start and instant < end %}
      {% do hashes.update({instant: hash}) %}
    {% endfor %}
  {% endfor %}
  {% do return({'partitions': hashes}) %}
{% endmacro %}


{#
  The loads of a model for rewriting the log, each with the state of its `sources` that it is known to agree with,
  replacing the notes. A load may be split if its parts agree with different states. Pure.
#}
{% macro loads_with_sources(loads, noted) %}
  {% set state, names = namespace(loads=loads), [] %}
  {% for note in noted %}
    {% for name in note.sources if name not in names %}{% do names.append(name) %}{% endfor %}
  {% endfor %}
  {% for name in names %}
    {% set pieces, cut, place = dbt_kinds.agreed_notes(loads, noted, name), [], namespace(first=0) %}
    {% for load in state.loads %}
      {% for number in range(place.first, pieces | length) %}
        {% set piece = pieces[number] %}
        {% if piece.start >= load.end %}{% break %}{% endif %}
        {% if piece.end > load.start %}
          {% set sources = dict(load.get('sources', {})) %}
          {% if piece.note is not none %}
            {% set known = dict(piece.note) %}
            {% do known.pop('stale', none) %}
            {% do sources.update({name: known}) %}
          {% endif %}
          {% do cut.append(dict(load, start=[piece.start, load.start] | max, end=[piece.end, load.end] | min,
            sources=sources)) %}
          {% do cut[-1].update({'rows_written': none, 'seconds': none})
            if [cut[-1].start, cut[-1].end] != [load.start, load.end] %}
        {% endif %}
        {% set place.first = number %}
      {% endfor %}
    {% endfor %}
    {% set state.loads = cut %}
  {% endfor %}
  {% do return(state.loads) %}
{% endmacro %}


{# The combined knowledge of two adjacent loads about their sources: the partitions of both, and equal snapshots; none
   if they differ. Pure. #}
{% macro joined_sources(left, right) %}
  {% if left.keys() | sort | list != right.keys() | sort | list %}
    {% do return(none) %}
  {% endif %}
  {% set joined = {} %}
  {% for name, known in left.items() %}
    {% if known.get('partitions') is not none and right[name].get('partitions') is not none %}
      {% set both = dict(known.partitions) %}
      {% do both.update(right[name].partitions) %}
      {% do joined.update({name: {'partitions': both}}) %}
    {% elif known == right[name] %}
      {% do joined.update({name: known}) %}
    {% else %}
      {% do return(none) %}
    {% endif %}
  {% endfor %}
  {% do return(joined) %}
{% endmacro %}
