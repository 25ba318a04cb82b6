{# The loads of a relation according to the store: see fold_events. #}
{% macro loads_of(relation) %}
  {% do return(dbt_kinds.fold_events(dbt_kinds.events_of(relation))) %}
{% endmacro %}


{#
  The loads of a relation as its readers follow them. An adoption changes no rows, so an adopted load counts as made when anything else was last recorded
  of its interval, such as a load that `forget` withdrew; and never, if nothing was.
#}
{% macro followed_loads(events) %}
  {% set loads = dbt_kinds.fold_events(events) %}
  {% set adopted = loads | selectattr('is_adopted', 'defined') | map(attribute='recorded_at') | list %}
  {% if not adopted %}
    {% do return(loads) %}
  {% endif %}
  {# where an adoption is on top, all else is older #}
  {% set others = [] %}
  {% for event in events | rejectattr('is_adopted', 'defined') | selectattr('recorded_at', 'lt', adopted | max) %}
    {% do others.append(dict(event, event='loaded')) %}
  {% endfor %}
  {% set beneath, followed = dbt_kinds.fold_events(others), [] %}
  {% for load in loads %}
    {% if load.is_adopted is not defined %}
      {% do followed.append(load) %}
    {% else %}
      {% for start, end in dbt_kinds.subtract_intervals([[load.start, load.end]], dbt_kinds.coverage_of(beneath)) %}
        {% do followed.append(dict(load, start=start, end=end, recorded_at='')) %}
      {% endfor %}
      {% for older in beneath if older.start < load.end and older.end > load.start %}
        {% do followed.append(dict(load, start=[older.start, load.start] | max, end=[older.end, load.end] | min, recorded_at=older.recorded_at)) %}
      {% endfor %}
    {% endif %}
  {% endfor %}
  {% do return(followed | sort(attribute='start')) %}
{% endmacro %}


{# The one of some loads that was recorded last, none if there are none. Pure. #}
{% macro latest_load(loads) %}
  {% do return(loads | sort(attribute='recorded_at') | last if loads else none) %}
{% endmacro %}


{# The same as a set of intervals. Events are replayed once; this run's own events are added to the result, to avoid a replay per batch. #}
{% macro coverage(relation) %}
  {% set held = dbt_kinds.run_memory().held %}
  {% if held.get(relation) is none %}
    {% do held.update({relation: dbt_kinds.coverage_of(dbt_kinds.loads_of(relation))}) %}
  {% endif %}
  {% do return(held[relation]) %}
{% endmacro %}


{# Keeps `coverage` in step with an event of this run. #}
{% macro note_coverage(relation, event) %}
  {% set held, interval = dbt_kinds.run_memory().held, [[event.start, event.end]] %}
  {% if held.get(relation) is not none %}
    {% do held.update({
      relation: dbt_kinds.merge_intervals(held[relation] + interval) if event.event == 'loaded' else dbt_kinds.subtract_intervals(held[relation], interval),
    }) %}
  {% endif %}
{% endmacro %}


{# The intervals of loads as a set, sorted and merged. #}
{% macro coverage_of(loads) %}
  {% set intervals = [] %}
  {% for load in loads %}
    {% do intervals.append([load.start, load.end]) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(intervals)) %}
{% endmacro %}


{#
  Replays events in the order of recorded_at, `invalidated` winning a tie, and returns what is loaded: pieces that do not
  overlap, each with the facts of its latest load: {start, end, recorded_at, started_at, execution_time, model_hash}.
  It goes backwards: an event only applies where no later one does. Pure.
#}
{% macro fold_events(events) %}
  {% set state = namespace(decided=[]) %}
  {% set loads = [] %}
  {% for event in dbt_kinds.sorted_backwards(events | sort(attribute='event'), 'recorded_at') %}
    {% set start, end = event.start, event.end %}
    {% if not state.decided or end < state.decided[0][0] %}
      {% set left = [[start, end]] %}
      {% do state.decided.insert(0, [start, end]) %}
    {% elif end == state.decided[0][0] %}
      {# the usual case: batches in chronological order #}
      {% set left = [[start, end]] %}
      {% set first = state.decided.pop(0) %}
      {% do state.decided.insert(0, [start, first[1]]) %}
    {% else %}
      {% set left = dbt_kinds.subtract_intervals([[start, end]], state.decided) %}
      {% set state.decided = dbt_kinds.merge_intervals(state.decided + [[start, end]]) %}
    {% endif %}
    {% if event.event == 'loaded' %}
      {% for piece in left %}
        {% do loads.append(dict(event, start=piece[0], end=piece[1])) %}
      {% endfor %}
    {% endif %}
  {% endfor %}
  {% do return(loads | sort(attribute='start')) %}
{% endmacro %}
