{#
  The units of a model that read an interval of a parent before that interval was last loaded, as numbers. Pure.

  `loads` are the model's own, `parent` is {name, loads, margins}: the margins say how much wider than its own window
  the model reads the parent, one {before, after, unit, week_start} per window_of, empty if it reads just its window.
  Both lists of loads are sorted and do not overlap, so one pass over both is enough.
#}
{% macro upstream_changes(loads, parent, unit) %}
  {% set changed = [] %}
  {% for margin in parent.margins or [none] %}
    {% set behind, ahead = dbt_kinds.most_of_margin(margin) %}
    {% set position = namespace(first=0) %}
    {% for theirs in parent.loads %}
      {# no interval outside [earliest, latest) reads this one; a cheap bound that is never too narrow #}
      {% set earliest = (modules.datetime.datetime.fromisoformat(theirs.start) - ahead).isoformat() if margin
        else theirs.start %}
      {% set latest = (modules.datetime.datetime.fromisoformat(theirs.end) + behind).isoformat() if margin
        else theirs.end %}
      {% for number in range(position.first, loads | length) %}
        {% set ours = loads[number] %}
        {% if ours.end <= earliest %}
          {% set position.first = number + 1 %}
        {% elif ours.start >= latest %}
          {% break %}
        {% elif theirs.recorded_at > (ours.started_at or ours.recorded_at) %}
          {% set units = [
            dbt_kinds.unit_index([ours.start, earliest] | max, unit),
            dbt_kinds.unit_index_after([ours.end, latest] | min, unit)
          ] %}
          {% do changed.append(dbt_kinds._units_that_read(units, ours, theirs, margin, unit) if margin else units) %}
        {% endif %}
      {% endfor %}
    {% endfor %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(changed)) %}
{% endmacro %}


{# Of a contiguous range of units, those whose loaded part was computed from a load of the parent; those at either end
   may just miss it. #}
{% macro _units_that_read(units, ours, theirs, margin, unit) %}
  {% set reading = namespace(first=units[0], last=units[1]) %}
  {% for index in range(units[0], units[1]) %}
    {% if dbt_kinds.source_window(dbt_kinds._loaded_part(index, ours, unit),
        margin)[1] > theirs.start %}{% break %}{% endif %}
    {% set reading.first = index + 1 %}
  {% endfor %}
  {% for index in range(units[1] - 1, reading.first - 1, -1) %}
    {% if dbt_kinds.source_window(dbt_kinds._loaded_part(index, ours, unit),
        margin)[0] < theirs.end %}{% break %}{% endif %}
    {% set reading.last = index %}
  {% endfor %}
  {% do return([reading.first, reading.last]) %}
{% endmacro %}


{% macro _loaded_part(index, ours, unit) %}
  {% do return([[dbt_kinds.unit_start(index, unit), ours.start] | max,
    [dbt_kinds.unit_start(index + 1, unit), ours.end] | min]) %}
{% endmacro %}
