{#
  A unit is a grid of instants in UTC, `{name, months, seconds, origin}`: boundaries lie every `months` months, or every
  `seconds` seconds, counted from `origin` (seconds since 1970-01-01). Everything else about units follows from
  unit_index and unit_start.
#}
{% macro interval_unit(model, text, week_start='monday') %}
  {% set named = {'half_hour': '30 minute', 'quarter_hour': '15 minute', 'five_minute': '5 minute'} %}
  {% set written = text | string | trim | lower %}
  {% set found = dbt_kinds.full_match('(?:(\d+) +)?(year|quarter|month|week|day|hour|minute)s?',
    named.get(written, written)) %}
  {% set count = (found.group(1) or 1) | int if found is not none else 0 %}
  {% if count < 1 or (found.group(2) == 'minute' and (found.group(1) is none or count % 5 != 0)) %}
    {% do dbt_kinds.fail(model, "interval_unit '" ~ text
      ~ "' is not a unit; write year, quarter, month, week, day, hour, "
      ~ "half_hour, quarter_hour, five_minute or a count such as '6 hours' (minutes in steps of five)") %}
  {% endif %}
  {% set base = found.group(2) %}
  {% set months = {'year': 12, 'quarter': 3, 'month': 1}.get(base, 0) * count %}
  {% set seconds = {'week': 604800, 'day': 86400, 'hour': 3600, 'minute': 60}.get(base, 0) * count %}
  {% if months > 1200 or seconds > 3155760000 %}
    {% do dbt_kinds.fail(model, "interval_unit '" ~ text ~ "' is longer than a hundred years") %}
  {% endif %}
  {# 1970-01-01 was a Thursday: the first Monday is 4 days later, the first Sunday 3 #}
  {% set origin = {'monday': 4, 'sunday': 3}[week_start] * 86400 if base == 'week' else 0 %}

  {% if base == 'minute' and count in [5, 15, 30] %}
    {% set name = {5: 'five_minute', 15: 'quarter_hour', 30: 'half_hour'}[count] %}
  {% else %}
    {% set name = base if count == 1 else count ~ ' ' ~ base ~ 's' %}
  {% endif %}
  {% if base == 'week' and week_start == 'sunday' %}
    {% set name = name ~ '(sunday)' %}
  {% endif %}
  {% do return({'name': name, 'months': months, 'seconds': seconds, 'origin': origin}) %}
{% endmacro %}
