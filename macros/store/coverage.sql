{# The loads and invalidations of a relation, as log_of has them. Not to be changed. #}
{% macro events_of(relation) %}
  {% do return(dbt_kinds._events_in(dbt_kinds.log_of(relation))) %}
{% endmacro %}


{% macro _events_in(log) %}
  {% set views = log.views %}
  {% if 'events' not in views %}
    {% do views.update({'events': log.rows | selectattr('event', 'in', ['loaded', 'invalidated']) | list}) %}
  {% endif %}
  {% do return(views.events) %}
{% endmacro %}


{# The loads of a relation according to the store: see fold_events. Not to be changed. #}
{% macro loads_of(relation) %}
  {% set log = dbt_kinds.log_of(relation) %}
  {% set views = log.views %}
  {% if 'loads' not in views %}
    {% do views.update({'loads': dbt_kinds.fold_events(dbt_kinds._events_in(log))}) %}
  {% endif %}
  {% do return(views.loads) %}
{% endmacro %}


{# The loads of a relation as its readers follow them: see followed_loads. Not to be changed. #}
{% macro followed_loads_of(relation) %}
  {% set log = dbt_kinds.log_of(relation) %}
  {% set views = log.views %}
  {% if 'followed' not in views %}
    {% do views.update({'followed': dbt_kinds.followed_loads(dbt_kinds.events_of(relation),
      dbt_kinds.loads_of(relation))}) %}
  {% endif %}
  {% do return(views.followed) %}
{% endmacro %}


{#
  The loads in some events, as readers follow them. An adoption changes no rows, so an adopted load counts as made when
  anything else was last recorded of its interval, such as a load that `forget` withdrew; and never, if nothing was.
  `loads` are those of fold_events. Pure.
#}
{% macro followed_loads(events, loads) %}
  {% set adopted = loads | selectattr('source', 'eq', 'adopt') | map(attribute='recorded_at') | list %}
  {% if not adopted %}
    {% do return(loads) %}
  {% endif %}
  {# where an adoption is on top, all else is older #}
  {% set others = [] %}
  {% for event in events if event.recorded_at < adopted | max
      and not (event.event == 'loaded' and event.get('source') == 'adopt') %}
    {% do others.append(dict(event, event='loaded')) %}
  {% endfor %}
  {% set beneath, followed = dbt_kinds.fold_events(others), [] %}
  {% for load in loads %}
    {% if load.get('source') != 'adopt' %}
      {% do followed.append(load) %}
    {% else %}
      {% for start, end in dbt_kinds.subtract_intervals([[load.start, load.end]], dbt_kinds.coverage_of(beneath)) %}
        {% do followed.append(dict(load, start=start, end=end, recorded_at='')) %}
      {% endfor %}
      {% for older in beneath if older.start < load.end and older.end > load.start %}
        {% do followed.append(dict(load, start=[older.start, load.start] | max, end=[older.end, load.end] | min,
          recorded_at=older.recorded_at)) %}
      {% endfor %}
    {% endif %}
  {% endfor %}
  {% do return(followed | sort(attribute='start')) %}
{% endmacro %}


{# The one of some loads that was recorded last, none if there are none. Pure. #}
{% macro latest_load(loads) %}
  {% do return(loads | sort(attribute='recorded_at') | last if loads else none) %}
{% endmacro %}


{#
  The loads of a relation as a set of intervals. Its events are replayed once: what is added to a log is later than all
  that is in it, so that a run of many batches need not replay them for each.
#}
{% macro coverage(relation) %}
  {% set log = dbt_kinds.log_of(relation) %}
  {# counted first: what another thread adds meanwhile is replayed again #}
  {% set known = log.coverage or {'rows': log.rows | length,
    'intervals': dbt_kinds.coverage_of(dbt_kinds.loads_of(relation))} %}
  {% set added, state = log.rows[known.rows:], namespace(intervals=known.intervals) %}
  {% for row in added if row.event in ['loaded', 'invalidated'] %}
    {% set interval = [[row.interval_start, row.interval_end]] %}
    {% set state.intervals = dbt_kinds.merge_intervals(state.intervals + interval) if row.event == 'loaded'
      else dbt_kinds.subtract_intervals(state.intervals, interval) %}
  {% endfor %}
  {# both at once: another thread may ask #}
  {% do log.update({'coverage': {'intervals': state.intervals, 'rows': known.rows + added | length}}) %}
  {% do return(state.intervals) %}
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
  Replays events in the order of recorded_at, `invalidated` winning a tie, and returns what is loaded: pieces that do
  not overlap, each with the columns of its latest load, and `start` and `end`.
  It goes backwards: an event only applies where no later one does. What later events have decided is a set of
  intervals: the first of them is `state.start` to `state.end`, the others, which are later in time, are in
  `state.behind`. Pure.
#}
{% macro fold_events(events) %}
  {% set loads, state = [], namespace(start=none, end=none, behind=[]) %}
  {# the last of a moment first, and in it what was invalidated #}
  {% for event in events | sort(attribute='event') | list | reverse | sort(attribute='recorded_at') | list | reverse %}
    {% set start, end = event.interval_start, event.interval_end %}
    {% if end == state.start %}
      {# the usual case: batches in chronological order #}
      {% set state.start = start %}
      {% do loads.append(dict(event, start=start, end=end)) if event.event == 'loaded' %}
    {% elif state.start is none or end < state.start %}
      {% set state.behind = [[state.start, state.end]] + state.behind if state.start is not none else [] %}
      {% set state.start, state.end = start, end %}
      {% do loads.append(dict(event, start=start, end=end)) if event.event == 'loaded' %}
    {% else %}
      {% set decided = [[state.start, state.end]] + state.behind %}
      {% for piece in (dbt_kinds.subtract_intervals([[start, end]], decided) if event.event == 'loaded' else []) %}
        {% do loads.append(dict(event, start=piece[0], end=piece[1])) %}
      {% endfor %}
      {% set decided = dbt_kinds.merge_intervals(decided + [[start, end]]) %}
      {% set state.start, state.end, state.behind = decided[0][0], decided[0][1], decided[1:] %}
    {% endif %}
  {% endfor %}
  {% do return(loads | sort(attribute='start')) %}
{% endmacro %}
