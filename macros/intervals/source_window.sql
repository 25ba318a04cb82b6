{#
  The range of a source that the window [start, end) reads: `margin` is {before, after, unit, week_start}, two ISO-8601
  durations and the unit on whose boundaries the source's values are, `none` for instants. Never too narrow: a day
  longer if calendar months reach ahead (30 and 31 January + 1 month are the same day), three days if months and an
  exact part are combined (they do not commute). Pure.
#}
{% macro source_window(window, margin) %}
  {% set before, after = dbt_kinds.read_duration(margin.before), dbt_kinds.read_duration(margin.after) %}
  {% set start = dbt_kinds._shift(window[0], -before.months,
    -before.seconds - (259200 if before.months and before.seconds else 0)) %}
  {% set end = dbt_kinds._shift(window[1], after.months,
    after.seconds + (0 if not after.months else 259200 if after.seconds else 86400)) %}
  {% if margin.unit == 'none' %}
    {% do return([start, end]) %}
  {% endif %}
  {% set unit = dbt_kinds.interval_unit('', margin.unit, margin.week_start or 'monday') %}
  {% do return([dbt_kinds.floor_to_unit(start, unit), dbt_kinds.ceil_to_unit(end, unit)]) %}
{% endmacro %}


{# Months first, clamping the day to the month's last, then the exact part. #}
{% macro _shift(instant, months, seconds) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% if months %}
    {% set month = at.year * 12 + at.month - 1 + months %}
    {% set first = at.replace(year=month // 12, month=month % 12 + 1, day=1) %}
    {% set next_month = (first + modules.datetime.timedelta(days=31)).replace(day=1) %}
    {% set last_day = (next_month - modules.datetime.timedelta(days=1)).day %}
    {% set at = first.replace(day=[at.day, last_day] | min) %}
  {% endif %}
  {% do return((at + modules.datetime.timedelta(seconds=seconds)).isoformat()) %}
{% endmacro %}


{# Two timedeltas, each at least as long as that side of a margin, including its unit. #}
{% macro most_of_margin(margin) %}
  {% if not margin %}
    {% do return([none, none]) %}
  {% endif %}
  {% set sides = [] %}
  {% for side in [margin.before, margin.after] %}
    {% set duration = dbt_kinds.read_duration(side) %}
    {% set unit = {'months': 0, 'seconds': 0} if margin.unit == 'none'
      else dbt_kinds.interval_unit('', margin.unit, margin.week_start or 'monday') %}
    {% do sides.append(modules.datetime.timedelta(
      days=(duration.months + unit.months) * 31 + 3, seconds=duration.seconds + unit.seconds)) %}
  {% endfor %}
  {% do return(sides) %}
{% endmacro %}


{# An ISO-8601 duration (P1M, PT30M, P2DT12H) as {months, seconds}; none when it is not one. Pure. #}
{% macro read_duration(text) %}
  {% set found = dbt_kinds.full_match('P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?', text | string | trim | upper) %}
  {% if found is none or not found.groups() | select | list or (text | string | trim | upper).endswith('T') %}
    {% do return(none) %}
  {% endif %}
  {% set years, months, weeks, days, hours, minutes, seconds = found.groups() %}
  {% do return({
    'months': years | int(0) * 12 + months | int(0),
    'seconds': ((weeks | int(0) * 7 + days | int(0)) * 24 + hours | int(0)) * 3600 + minutes | int(0) * 60
      + seconds | int(0),
  }) %}
{% endmacro %}
