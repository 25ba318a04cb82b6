{# The last matching time of a cron that is not after a wall clock time, both datetimes without a zone. #}
{% macro last_wall_time(cron, wall) %}
  {% set today = wall.date() %}
  {% set day = dbt_kinds._last_day(cron, today) %}
  {% if day == today %}
    {% set hours = cron.hours | select('le', wall.hour) | list %}
    {% if hours and hours[-1] == wall.hour %}
      {% set minutes = cron.minutes | select('le', wall.minute) | list %}
      {% if minutes %}
        {% do return(wall.replace(minute=minutes[-1], second=0)) %}
      {% endif %}
      {% do hours.pop() %}
    {% endif %}
    {% if hours %}
      {% do return(wall.replace(hour=hours[-1], minute=cron.minutes[-1], second=0)) %}
    {% endif %}
    {% set day = dbt_kinds._last_day(cron, today - modules.datetime.timedelta(days=1)) %}
  {% endif %}
  {% do return(modules.datetime.datetime(day.year, day.month, day.day, cron.hours[-1], cron.minutes[-1])) %}
{% endmacro %}


{#
  The last matching day that is not after a given day. 29 February alone may be eight years back, fewer than 400 steps,
  and the fifth of a weekday in February forty: fewer than 1,700.
#}
{% macro _last_day(cron, day) %}
  {% set a_day = modules.datetime.timedelta(days=1) %}
  {% set days = [] if cron.days_open and not cron.weekdays_open else cron.days %}
  {% set weekdays = [] if cron.weekdays_open else cron.weekdays %}
  {% set steps = 1700 if cron.nth_weekdays else 400 %}
  {% set back = namespace(day=day) %}
  {% for step in range(steps) %}
    {% set weekday = (back.day.weekday() + 1) % 7 %}
    {% if back.day.month not in cron.months %}
      {% set back.day = back.day.replace(day=1) - a_day %}
    {% elif back.day.day in days or weekday in weekdays or [weekday, (back.day.day + 6) // 7] in cron.nth_weekdays %}
      {% do return(back.day) %}
    {% else %}
      {% set back.day = back.day - a_day %}
    {% endif %}
  {% endfor %}
{% endmacro %}
