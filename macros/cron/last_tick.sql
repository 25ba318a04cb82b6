{# The last tick of a cron that is not after an instant. #}
{% macro last_tick(cron, time_zone, instant) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% do return(dbt_kinds._last_tick_at(cron, modules.pytz.timezone(time_zone), at).isoformat()) %}
{% endmacro %}


{#
  No zone changes its clock twice within a week or by more than a day (measured: pytz 2026.6, every zone since 1902), so the
  two days before an instant hold one change at most. pytz's own way from wall time to UTC is not taken: it asks for a flag of
  summer time, which Dublin sets in winter, and Apia's skipped day has none.
#}
{% macro _last_tick_at(cron, zone, at) %}
  {% set second, day = modules.datetime.timedelta(seconds=1), modules.datetime.timedelta(days=1) %}
  {% set two_days_ago = at - 2 * day %}
  {% set offset, offset_before = zone.fromutc(at).utcoffset(), zone.fromutc(two_days_ago).utcoffset() %}
  {% set tick = dbt_kinds.last_wall_time(cron, at + offset) - offset %}

  {% if offset == offset_before %}
    {% if tick >= at - day %}
      {% do return(tick) %}
    {% endif %}
    {# the offset may have been another one by then; no tick is later than a day after this guess #}
    {% do return(dbt_kinds._last_tick_at(cron, zone, [tick + day, at - day] | min)) %}
  {% endif %}

  {% set change = dbt_kinds._clock_change(zone, two_days_ago) %}
  {# skipped times, read with the offset before the change, tick among the times that follow it #}
  {% set last_skipped = [at, change + offset - offset_before - second] | min %}
  {% set skipped_tick = dbt_kinds.last_wall_time(cron, last_skipped + offset_before) - offset_before %}
  {% set later = [tick, skipped_tick] | max %}
  {% do return(later if later >= change else dbt_kinds._last_tick_at(cron, zone, change - second)) %}
{% endmacro %}


{# The first instant with another offset, of the two days after one; by halving, to the second. #}
{% macro _clock_change(zone, at) %}
  {% set offset = zone.fromutc(at).utcoffset() %}
  {% set seconds = namespace(before=0, after=2 * 86400) %}
  {% for halving in range(18) %}
    {% set middle = (seconds.before + seconds.after) // 2 %}
    {% if zone.fromutc(at + modules.datetime.timedelta(seconds=middle)).utcoffset() == offset %}
      {% set seconds.before = middle %}
    {% else %}
      {% set seconds.after = middle %}
    {% endif %}
  {% endfor %}
  {% do return(at + modules.datetime.timedelta(seconds=seconds.after)) %}
{% endmacro %}
