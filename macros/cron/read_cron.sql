{#
  A parsed cron: each field as the sorted list of its values, with Sunday as 0; weekdays of one week of the month, such
  as `mon#2`, are kept apart from weekly ones. Whether a day field is open depends on its text alone: `*/2` and `1-31`
  are not. Read once per run.
#}
{% macro read_cron(model, name, text) %}
  {% set known = dbt_kinds.run_memory('crons') %}
  {% if text | string not in known %}
    {% do known.update({text | string: dbt_kinds._parsed_cron(model, name, text)}) %}
  {% endif %}
  {% do return(known[text | string]) %}
{% endmacro %}


{% macro _parsed_cron(model, name, text) %}
  {% set aliases = {
    '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@quarterly': '0 0 1 */3 *', '@monthly': '0 0 1 * *',
    '@weekly': '0 0 * * 0', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *',
  } %}
  {% set refusal = name ~ " '" ~ text ~ "' cannot be read: " %}
  {% set fields = aliases.get(text | string | trim | lower, text | string).split() %}
  {% if fields | length != 5 %}
    {% do dbt_kinds.fail(model, refusal ~ 'it has ' ~ fields | length ~ ' fields, a cron has 5') %}
  {% endif %}

  {% set months = {'jan': 1, 'feb': 2, 'mar': 3, 'apr': 4, 'may': 5, 'jun': 6,
                   'jul': 7, 'aug': 8, 'sep': 9, 'oct': 10, 'nov': 11, 'dec': 12} %}
  {% set weekdays = {'sun': 0, 'mon': 1, 'tue': 2, 'wed': 3, 'thu': 4, 'fri': 5, 'sat': 6} %}
  {% set every_week, of_a_week = [], [] %}
  {% for item in fields[4].split(',') %}
    {% do (of_a_week if '#' in item else every_week).append(item) %}
  {% endfor %}
  {% set cron = {
    'text': text | string,
    'minutes': dbt_kinds.cron_field(model, refusal, fields[0], 'minute', 0, 59, {}),
    'hours': dbt_kinds.cron_field(model, refusal, fields[1], 'hour', 0, 23, {}),
    'days': dbt_kinds.cron_field(model, refusal, fields[2], 'day of month', 1, 31, {}),
    'months': dbt_kinds.cron_field(model, refusal, fields[3], 'month', 1, 12, months),
    'weekdays': dbt_kinds.cron_field(model, refusal, every_week | join(','), 'day of week', 0, 7, weekdays)
      if every_week else [],
    'nth_weekdays': dbt_kinds.nth_weekdays(model, refusal, of_a_week, weekdays),
    'days_open': fields[2] in ['*', '*/1'],
    'weekdays_open': fields[4] in ['*', '*/1'],
  } %}
  {% if cron.weekdays_open and cron.days[0] > dbt_kinds.longest_month(cron.months) %}
    {% do dbt_kinds.fail(model, refusal ~ 'it never fires') %}
  {% endif %}
  {% do return(cron) %}
{% endmacro %}


{# The maximum number of days in the longest of some months. #}
{% macro longest_month(months) %}
  {% if months | reject('in', [2, 4, 6, 9, 11]) | list %}
    {% do return(31) %}
  {% endif %}
  {% do return(29 if months == [2] else 30) %}
{% endmacro %}
