{# The unit of a model that names none: the first whose length fits between any two ticks, on a wall clock without clock
   changes. Found once per run. #}
{% macro cron_unit(model, name, cron, week_start) %}
  {% set known, written = dbt_kinds.run_memory('units'), (cron.text, week_start) %}
  {% if written not in known %}
    {% do known.update({written: dbt_kinds._unit_between_ticks(model, name, cron, week_start)}) %}
  {% endif %}
  {% do return(known[written]) %}
{% endmacro %}


{% macro _unit_between_ticks(model, name, cron, week_start) %}
  {% set gap = dbt_kinds._smallest_gap(cron) %}
  {% set day = 24 * 60 %}
  {% if gap == 7 * day and cron.days_open and cron.weekdays | length == 1 %}
    {% do return(dbt_kinds.interval_unit(model, 'week', week_start)) %}
  {% endif %}
  {% for minutes, unit in [
    (365 * day, 'year'), (89 * day, 'quarter'), (28 * day, 'month'), (day, 'day'),
    (60, 'hour'), (30, 'half_hour'), (15, 'quarter_hour'), (5, 'five_minute'),
  ] if gap >= minutes %}
    {% do return(dbt_kinds.interval_unit(model, unit, week_start)) %}
  {% endfor %}
  {% do dbt_kinds.fail(model, name ~ " '" ~ cron.text ~ "' fires more often than every five minutes") %}
{% endmacro %}


{# In minutes: between adjacent ticks within an hour, from hour to hour, and from one matching day to the next. #}
{% macro _smallest_gap(cron) %}
  {% set minutes, hours = cron.minutes, cron.hours %}
  {% set gaps = dbt_kinds._steps(minutes) %}
  {% set within_hour = minutes[-1] - minutes[0] %}
  {% for step in dbt_kinds._steps(hours) %}
    {% do gaps.append(step * 60 - within_hour) %}
  {% endfor %}
  {% set within_day = (hours[-1] - hours[0]) * 60 + within_hour %}
  {% do gaps.append(dbt_kinds._smallest_step_of_days(cron) * 24 * 60 - within_day) %}
  {% do return(gaps | min) %}
{% endmacro %}


{#
  The smallest number of days from one matching day to the next, over all years.

  Every date falls on every weekday in some year, 29 February too. So weekdays are as close to each other as in any
  week, and if a day of the month matches as well, the day before or after it is one of them in some year.
#}
{% macro _smallest_step_of_days(cron) %}
  {% if cron.nth_weekdays %}
    {% do return(dbt_kinds._smallest_step_of_nth_weekdays(cron)) %}
  {% elif cron.days_open and cron.weekdays_open %}
    {% do return(1) %}
  {% elif cron.weekdays_open %}
    {% do return(dbt_kinds._smallest_step_of_dates(cron)) %}
  {% elif not cron.days_open and cron.days[0] <= dbt_kinds.longest_month(cron.months) %}
    {% do return(1) %}
  {% endif %}
  {% do return(dbt_kinds._steps(cron.weekdays + [cron.weekdays[0] + 7]) | min) %}
{% endmacro %}


{# A leap year between two common ones contains every step between dates, except for 29 February alone, which recurs
   after four years. #}
{% macro _smallest_step_of_dates(cron) %}
  {% set steps = dbt_kinds._steps(cron.days | select('le', dbt_kinds.longest_month(cron.months)) | list) %}
  {% set before = namespace(last=none) %}
  {% for year in [2023, 2024, 2025] %}
    {% for month in cron.months %}
      {% set first = modules.datetime.date(year, month, 1) %}
      {% set days_before = (first - modules.datetime.date(1970, 1, 1)).days %}
      {% set length = (modules.datetime.date(year + month // 12, month % 12 + 1, 1) - first).days %}
      {% set days = cron.days | select('le', length) | list %}
      {% if days and before.last is not none %}
        {% do steps.append(days_before + days[0] - before.last) %}
      {% endif %}
      {% set before.last = days_before + days[-1] if days else before.last %}
    {% endfor %}
  {% endfor %}
  {% do return(steps | min if steps else 4 * 365 + 1) %}
{% endmacro %}


{#
  Dates fall on the same weekdays every 28 years, except at centuries, which only change steps of years. If there is no
  step at all, as for the fifth of a weekday in February, the steps are years, too.
#}
{% macro _smallest_step_of_nth_weekdays(cron) %}
  {% set found = namespace(days=[]) %}
  {% for year in range(2000, 2029) %}
    {% for month in cron.months %}
      {% set first = modules.datetime.date(year, month, 1) %}
      {% set days_before = (first - modules.datetime.date(1970, 1, 1)).days %}
      {% set length = (modules.datetime.date(year + month // 12, month % 12 + 1, 1) - first).days %}
      {% for day in range(1, length + 1) %}
        {% set weekday = (first.weekday() + day) % 7 %}
        {% if weekday in cron.weekdays or [weekday, (day + 6) // 7] in cron.nth_weekdays
            or (not cron.days_open and day in cron.days) %}
          {% do found.days.append(days_before + day) %}
        {% endif %}
      {% endfor %}
    {% endfor %}
  {% endfor %}
  {% do return(dbt_kinds._steps(found.days) | min if found.days | length > 1 else 366) %}
{% endmacro %}


{# The differences between adjacent sorted numbers. #}
{% macro _steps(numbers) %}
  {% set steps = [] %}
  {% for number in numbers[1:] %}
    {% do steps.append(number - numbers[loop.index0]) %}
  {% endfor %}
  {% do return(steps) %}
{% endmacro %}
