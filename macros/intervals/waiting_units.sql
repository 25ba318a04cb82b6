{#
  Which units must not be loaded yet. `gates` are applied in order, each to the units that the previous ones let
  through: `{name, until}` for a query that says up to when the sources are complete,
  `{name, recorded, first, last, margins}` for a parent that must hold the part that a unit reads. With `in_order` no
  unit may be loaded before earlier ones. Returns the units that are `left`, and the waiting ones by gate, as
  `{for, units, words}`. In unit numbers. Pure.
#}
{% macro waiting_units(units, gates, unit, upper, in_order=false) %}
  {% set state, waits = namespace(left=units), [] %}
  {% for gate in gates if state.left %}
    {% set found = dbt_kinds._units_behind_parent(state.left, gate, unit, upper) if gate.recorded is defined
      else dbt_kinds._units_behind_instant(state.left, gate, unit, upper) %}
    {% if found.units %}
      {% set waiting = dbt_kinds.intersect_intervals(state.left, [[found.units[0][0], state.left[-1][1]]]) if in_order
        else found.units %}
      {% set number = dbt_kinds.count_units(waiting) %}
      {% do waits.append({'for': gate.name, 'units': waiting,
        'words': number ~ (' unit waits' if number == 1 else ' units wait') ~ ' for ' ~ gate.name ~ ' (' ~ found.why
          ~ ')'}) %}
      {% set state.left = dbt_kinds.subtract_intervals(state.left, waiting) %}
    {% endif %}
  {% endfor %}
  {% do return({'left': state.left, 'waits': waits}) %}
{% endmacro %}


{# The waiting intervals as listed in a plan. Pure. #}
{% macro waiting_intervals(waits, unit, upper) %}
  {% set waiting, units_of = [], {} %}
  {% for wait in waits %}
    {% do units_of.setdefault(wait.for, []).extend(wait.units) %}
  {% endfor %}
  {% for name, units in units_of.items() %}
    {% for start, end in dbt_kinds.as_instants(dbt_kinds.merge_intervals(units), unit, upper) %}
      {% do waiting.append({'start': start, 'end': end, 'for': name}) %}
    {% endfor %}
  {% endfor %}
  {% do return(waiting | sort(attribute='start')) %}
{% endmacro %}


{# The units that end later. A partial unit ends at the upper bound. #}
{% macro _units_behind_instant(units, gate, unit, upper) %}
  {% if gate.until is none %}
    {% do return({'units': units, 'why': 'nothing'}) %}
  {% endif %}
  {% set ready = dbt_kinds.unit_index_after(upper, unit) if gate.until >= upper
    else dbt_kinds.unit_index(gate.until, unit) %}
  {% do return({'units': dbt_kinds.subtract_intervals(units, [[units[0][0], [ready, units[0][0]] | max]]),
    'why': gate.until}) %}
{% endmacro %}


{# The units that read something that the parent lacks between its first and last instant. #}
{% macro _units_behind_parent(units, gate, unit, upper) %}
  {% set ranges = dbt_kinds.as_instants(units, unit, upper) %}
  {% set read = dbt_kinds._read_of_parent([ranges[0][0], ranges[-1][1]], gate) %}
  {% set gaps = [] %}
  {% for start, end in dbt_kinds.subtract_intervals(read, gate.recorded) %}
    {% do gaps.append({'start': start, 'end': end, 'recorded_at': 'lacking'}) %}
  {% endfor %}
  {% set ours = [] %}
  {% for start, end in ranges %}
    {% do ours.append({'start': start, 'end': end, 'started_at': '', 'recorded_at': ''}) %}
  {% endfor %}
  {# a gap is treated like a load of the parent after ours: as texts, any moment is later than '' #}
  {% set behind = dbt_kinds.intersect_intervals(units,
    dbt_kinds.upstream_changes(ours, {'loads': gaps, 'margins': gate.margins}, unit)) %}
  {% if not behind %}
    {% do return({'units': []}) %}
  {% endif %}
  {% set first = dbt_kinds.as_instants([[behind[0][0], behind[0][0] + 1]], unit, upper)[0] %}
  {% set lacking = dbt_kinds.subtract_intervals(dbt_kinds._read_of_parent(first, gate), gate.recorded) %}
  {% do return({'units': behind, 'why': lacking[0][0] | replace('T00:00:00', '') ~ ' missing'}) %}
{% endmacro %}


{# The range of a parent that a window reads, clipped to the parent's start and end. #}
{% macro _read_of_parent(window, gate) %}
  {% set read = [] %}
  {% for margin in gate.margins or [none] %}
    {% set start, end = dbt_kinds.source_window(window, margin) if margin else window %}
    {% do read.append([[start, gate.first or start] | max, [end, gate.last or end] | min]) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(read)) %}
{% endmacro %}
