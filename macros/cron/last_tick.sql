{# The last tick of a cron that is not after an instant, found once per run. #}
{% macro last_tick(cron, time_zone, instant) %}
  {% set known, asked = dbt_kinds.run_memory('last_ticks'), (cron.text, time_zone, instant) %}
  {% if asked not in known %}
    {% set at = modules.datetime.datetime.fromisoformat(instant) %}
    {% do known.update({asked: dbt_kinds._last_tick_at(cron, modules.pytz.timezone(time_zone), at).isoformat()}) %}
  {% endif %}
  {% do return(known[asked]) %}
{% endmacro %}


{#
  No zone changes its clock twice within a week or by more than a day (measured: pytz 2026.6, every zone since 1902), so
  the two days before an instant contain at most one change. pytz's own conversion from wall time to UTC is not used: it
  needs a flag for summer time, which Dublin sets in winter, and which fails on Apia's skipped day.
#}
{% macro _last_tick_at(cron, zone, at) %}
  {% set day, two_days_ago = modules.datetime.timedelta(days=1), at - modules.datetime.timedelta(days=2) %}
  {% set offset, offset_before = dbt_kinds._offset_at(zone, at), dbt_kinds._offset_at(zone, two_days_ago) %}
  {% set tick = dbt_kinds._last_tick_by(cron, at, offset) %}

  {% if offset == offset_before %}
    {% if tick >= at - day %}
      {% do return(tick) %}
    {% endif %}
    {# the offset may have been different then; no tick is later than a day after this guess #}
    {% do return(dbt_kinds._last_tick_at(cron, zone, tick + day if tick + day < at - day else at - day)) %}
  {% endif %}

  {% set change = dbt_kinds._clock_change(zone, two_days_ago) %}
  {# skipped times, read with the offset before the change, tick among the times after it #}
  {% set last_skipped = change + modules.datetime.timedelta(seconds=offset - offset_before - 1) %}
  {% set skipped_tick = dbt_kinds._last_tick_by(cron, last_skipped if last_skipped < at else at, offset_before) %}
  {% set later = skipped_tick if tick < skipped_tick else tick %}
  {% do return(later if later >= change
    else dbt_kinds._last_tick_at(cron, zone, change - modules.datetime.timedelta(seconds=1))) %}
{% endmacro %}


{# The last tick of a cron with a fixed offset from UTC in seconds. #}
{% macro _last_tick_by(cron, at, offset) %}
  {% set ahead = modules.datetime.timedelta(seconds=offset) %}
  {% do return(dbt_kinds.last_wall_time(cron, at + ahead) - ahead) %}
{% endmacro %}


{# The offset of a zone from UTC in seconds at an instant, computed from the wall clock time: dbt 2.0 has no
   utcoffset. #}
{% macro _offset_at(zone, at) %}
  {% set wall = modules.pytz.utc.localize(at).astimezone(zone).isoformat()[:19] %}
  {% do return(dbt_kinds.seconds_since_1970(modules.datetime.datetime.fromisoformat(wall))
    - dbt_kinds.seconds_since_1970(at)) %}
{% endmacro %}


{# The first instant with a different offset within the two days after a given one, found by bisection, to the
   second. #}
{% macro _clock_change(zone, at) %}
  {% set offset = dbt_kinds._offset_at(zone, at) %}
  {% set seconds = namespace(before=0, after=2 * 86400) %}
  {% for halving in range(18) %}
    {% set middle = (seconds.before + seconds.after) // 2 %}
    {% if dbt_kinds._offset_at(zone, at + modules.datetime.timedelta(seconds=middle)) == offset %}
      {% set seconds.before = middle %}
    {% else %}
      {% set seconds.after = middle %}
    {% endif %}
  {% endfor %}
  {% do return(at + modules.datetime.timedelta(seconds=seconds.after)) %}
{% endmacro %}


{# The time on the wall clock of a zone at an instant, as a text without a zone. #}
{% macro wall_time(time_zone, instant) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% do return((at + modules.datetime.timedelta(seconds=dbt_kinds._offset_at(modules.pytz.timezone(time_zone),
    at))).isoformat()) %}
{% endmacro %}
