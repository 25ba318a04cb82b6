{#
  Which units are not to be loaded yet. `gates` are asked one after the other, each of what the ones before it let through: `{name, until}` of a query
  that tells up to when the sources are complete, `{name, recorded, first, last, margins}` of a parent that has to hold what a unit reads of it.
  `in_order` where none may be loaded before those in front of it. Returns the units that are `left`, and those that wait, by gate, as `{for, units, words}`.
  In numbers of units. Pure.
#}
{% macro waiting_units(units, gates, unit, upper, in_order=false) %}
  {% set state, waits = namespace(left=units), [] %}
  {% for gate in gates if state.left %}
    {% set found = dbt_kinds._units_behind_parent(state.left, gate, unit, upper) if gate.recorded is defined
      else dbt_kinds._units_behind_instant(state.left, gate, unit, upper) %}
    {% if found.units %}
      {% set waiting = dbt_kinds.intersect_intervals(state.left, [[found.units[0][0], state.left[-1][1]]]) if in_order else found.units %}
      {% set number = dbt_kinds.count_units(waiting) %}
      {% do waits.append({'for': gate.name, 'units': waiting, 'words': number ~ (' unit waits' if number == 1 else ' units wait') ~ ' for ' ~ gate.name ~ ' (' ~ found.why ~ ')'}) %}
      {% set state.left = dbt_kinds.subtract_intervals(state.left, waiting) %}
    {% endif %}
  {% endfor %}
  {% do return({'left': state.left, 'waits': waits}) %}
{% endmacro %}


{# What waits, as a plan tells it. Pure. #}
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


{# Those that end later. One that the upper bound cuts short ends there. #}
{% macro _units_behind_instant(units, gate, unit, upper) %}
  {% if gate.until is none %}
    {% do return({'units': units, 'why': 'nothing'}) %}
  {% endif %}
  {% set ready = dbt_kinds.unit_index_after(upper, unit) if gate.until >= upper else dbt_kinds.unit_index(gate.until, unit) %}
  {% do return({'units': dbt_kinds.subtract_intervals(units, [[units[0][0], [ready, units[0][0]] | max]]), 'why': gate.until}) %}
{% endmacro %}


{# Those that read something that the parent lacks, though it lies between its first and its last instant. #}
{% macro _units_behind_parent(units, gate, unit, upper) %}
  {% set runs = dbt_kinds.as_instants(units, unit, upper) %}
  {% set read = dbt_kinds._read_of_parent([runs[0][0], runs[-1][1]], gate) %}
  {% set gaps = [] %}
  {% for start, end in dbt_kinds.subtract_intervals(read, gate.recorded) %}
    {% do gaps.append({'start': start, 'end': end, 'recorded_at': 'lacking'}) %}
  {% endfor %}
  {% set ours = [] %}
  {% for start, end in runs %}
    {% do ours.append({'start': start, 'end': end, 'started_at': '', 'recorded_at': ''}) %}
  {% endfor %}
  {# a gap is read as a load of the parent is that came after ours #}
  {% set behind = dbt_kinds.intersect_intervals(units, dbt_kinds.upstream_changes(ours, {'loads': gaps, 'margins': gate.margins}, unit)) %}
  {% if not behind %}
    {% do return({'units': []}) %}
  {% endif %}
  {% set first = dbt_kinds.as_instants([[behind[0][0], behind[0][0] + 1]], unit, upper)[0] %}
  {% set lacking = dbt_kinds.subtract_intervals(dbt_kinds._read_of_parent(first, gate), gate.recorded) %}
  {% do return({'units': behind, 'why': lacking[0][0] | replace('T00:00:00', '') ~ ' missing'}) %}
{% endmacro %}


{# What a window reads of a parent: from where that begins to where it ends. #}
{% macro _read_of_parent(window, gate) %}
  {% set read = [] %}
  {% for margin in gate.margins or [none] %}
    {% set start, end = dbt_kinds.source_window(window, margin) if margin else window %}
    {% do read.append([[start, gate.first or start] | max, [end, gate.last or end] | min]) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(read)) %}
{% endmacro %}
