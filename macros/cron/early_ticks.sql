{#
  Whether a model's cron and unit do not meet: `{is, leads_to, remedy}` in words, else none. They do not meet if its
  last tick but one came a little before a unit was complete, and the unit waited much longer for the next tick. A
  little is less than a third of the unit; less than half of it if the tick is at a unit's boundary by the clock of
  cron_tz, since units are in UTC. Much longer is more than twice, or more than once, as long, and more than a quarter
  of the unit. So a monthly cron on the 15th is on purpose, one on the 28th is not. Pure.
#}
{% macro early_ticks(options, instant) %}
  {% if options.traits.ignores_intervals or options.allow_partials %}
    {% do return(none) %}
  {% endif %}
  {% set found = dbt_kinds._passed_over(options.cron_schedule, options.cron_tz, options.unit, instant) %}
  {% if found is none %}
    {% do return(none) %}
  {% endif %}
  {% set lines = [] %}
  {% for way in dbt_kinds._ways_to_meet(options, instant)
      if dbt_kinds._passed_over(way.schedule, way.time_zone, way.unit, instant) is none %}
    {% do lines.append(way.line) %}
  {% endfor %}
  {% do return({
    'is': "cron '" ~ options.cron ~ "'" ~ (' in ' ~ options.cron_tz if options.cron_tz != 'UTC' else '')
      ~ ' ticks before an interval of ' ~ ('one ' if not dbt_kinds.matches('[0-9].*', options.unit.name))
      ~ options.unit.name ~ ' is complete',
    'leads_to': 'the interval to ' ~ found.end ~ ' waited for the tick at ' ~ found.tick,
    'remedy': lines[:2] | join(', or '),
  }) %}
{% endmacro %}


{# The unit that the last tick but one came too early for, as `{end, tick}`, its end and the last tick, which it waited
   for; else none. Found once per run. #}
{% macro _passed_over(schedule, time_zone, unit, instant) %}
  {% set known, asked = dbt_kinds.run_memory('early_ticks'),
    (schedule.text, time_zone, unit.name, unit.origin, instant) %}
  {% if asked not in known %}
    {% do known.update({asked: dbt_kinds._find_passed_over(schedule, time_zone, unit, instant)}) %}
  {% endif %}
  {% do return(known[asked]) %}
{% endmacro %}


{% macro _find_passed_over(schedule, time_zone, unit, instant) %}
  {% set tick = dbt_kinds.last_tick(schedule, time_zone, instant) %}
  {% set before = dbt_kinds.last_tick(schedule, time_zone,
    (modules.datetime.datetime.fromisoformat(tick) - modules.datetime.timedelta(seconds=1)).isoformat()) %}
  {% set number = dbt_kinds.unit_index(before, unit) %}
  {% set start, end = dbt_kinds.unit_start(number, unit), dbt_kinds.unit_start(number + 1, unit) %}
  {% set length, early, waits = dbt_kinds.seconds_between(start, end), dbt_kinds.seconds_between(before, end),
    dbt_kinds.seconds_between(end, tick) %}
  {% set wall = dbt_kinds.wall_time(time_zone, before) %}
  {% set allowance = early if dbt_kinds.floor_to_unit(wall, unit) == wall else 2 * early %}
  {% do return({'end': end, 'tick': tick} if 4 * waits > length and allowance < waits and allowance < length - early
    else none) %}
{% endmacro %}


{# Settings that may let the two meet, `{line, schedule, time_zone, unit}`, the best first. #}
{% macro _ways_to_meet(options, instant) %}
  {% set unit, time_zone = options.unit, options.cron_tz %}
  {% set cron = dbt_kinds._cron_of_unit(unit, time_zone, instant[:4]) %}
  {% set given = {'schedule': options.cron_schedule, 'time_zone': time_zone, 'unit': unit} %}
  {% set ways = [dict(given, line='cron_tz: UTC', time_zone='UTC')] if time_zone != 'UTC' else [] %}
  {% do ways.append(dict(given, line="cron: '" ~ cron ~ "'",
    schedule=dbt_kinds.read_cron(options.model, 'cron', cron))) %}
  {% if unit.origin %}
    {% set starts_on_monday = unit.origin == 4 * 86400 %}
    {% do ways.append(dict(given, line='week_start: ' ~ ('sunday' if starts_on_monday else 'monday'),
      unit=dict(unit, origin=(3 if starts_on_monday else 4) * 86400))) %}
  {% endif %}
  {% if unit.months or unit.seconds > 86400 %}
    {% do ways.append(dict(given, line='interval_unit: day', unit=dbt_kinds.interval_unit(options.model, 'day'))) %}
  {% endif %}
  {% do return(ways) %}
{% endmacro %}


{# The cron that ticks once per unit, as soon as it is complete all year: at midnight UTC, which in zones east of it is
   later in the day. #}
{% macro _cron_of_unit(unit, time_zone, year) %}
  {% set ahead = [0] %}
  {% for midnight in [year ~ '-01-01T00:00:00', year ~ '-07-01T00:00:00'] %}
    {% do ahead.append(dbt_kinds.seconds_between(midnight, dbt_kinds.wall_time(time_zone, midnight)) | int) %}
  {% endfor %}
  {% set minute, hour = (ahead | max) % 3600 // 60, (ahead | max) // 3600 %}
  {% if unit.months %}
    {% do return(minute ~ ' ' ~ hour ~ ' 1 '
      ~ ('1' if unit.months % 12 == 0 else '*/3' if unit.months % 3 == 0 else '*') ~ ' *') %}
  {% elif unit.seconds % 86400 == 0 %}
    {% do return(minute ~ ' ' ~ hour ~ ' * * ' ~ {0: '*', 3: 'sun', 4: 'mon'}[unit.origin // 86400]) %}
  {% endif %}
  {% set length = unit.seconds // 60 %}
  {% do return(minute ~ ' * * * *' if length % 60 == 0 else '*/' ~ (length if 60 % length == 0 else 5) ~ ' * * * *') %}
{% endmacro %}
