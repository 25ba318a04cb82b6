{# The ISO text of an instant written by a person. All widths are fixed, so that text sorts chronologically. #}
{% macro parse_instant(model, name, value) %}
  {% set pattern = '([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.][0-9]+)?)?)? ?(Z|[+-][01][0-9]:[0-5][0-9])?' %}
  {% set found = dbt_kinds.full_match(pattern, value | string | trim) %}
  {% if found is none or not dbt_kinds._is_on_the_calendar(found.groups()) %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value
      ~ "' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)") %}
  {# strftime writes years before 1000 with fewer digits, and text would not sort #}
  {% elif found.group(1) | int < 1000 or found.group(1) | int > 9998 %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value
      ~ "' is out of the range that is taken, 1000-01-01 to 9998-12-31; "
      ~ ('leave it out if there is no end' if name == 'end'
        else 'write a date within it, such as the day of the first row')) %}
  {% endif %}
  {% set year, month, day, hour, minute, second, offset = found.groups() %}
  {% set local = modules.datetime.datetime(year | int, month | int, day | int, hour | int(0), minute | int(0),
    second | int(0)) %}
  {% if offset is none or offset == 'Z' %}
    {% do return(local.isoformat()) %}
  {% endif %}
  {% set sign = -1 if offset[0] == '-' else 1 %}
  {% set ahead = modules.datetime.timedelta(hours=sign * offset[1:3] | int, minutes=sign * offset[4:6] | int) %}
  {% do return((local - ahead).isoformat()) %}
{% endmacro %}


{# A macro cannot catch the error of datetime(2024, 2, 30), so this checks for it. #}
{% macro _is_on_the_calendar(parts) %}
  {% set year, month, day, hour, minute, second, offset = parts %}
  {% if month | int < 1 or month | int > 12 or year | int < 1 or day | int < 1 %}
    {% do return(false) %}
  {% endif %}
  {# 9999-12 has no next month; as 9998, it is no leap year #}
  {% set first = modules.datetime.date([year | int, 9998] | min, month | int, 1) %}
  {% set in_next_month = first + modules.datetime.timedelta(days=day | int - 1) %}
  {% do return(
    in_next_month.month == month | int
    and hour | int(0) < 24 and minute | int(0) < 60 and second | int(0) < 60
  ) %}
{% endmacro %}
