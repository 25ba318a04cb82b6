{#
  The unit whose boundaries are the ticks of a cron. Only aliases are read so far, and each of them ticks at the
  boundaries of one unit: @weekly on Sundays, although weeks begin on Monday unless week_start says otherwise.
#}
{% macro cron_ticks(model, cron) %}
  {% do return(dbt_kinds.cron_unit(model, cron, 'sunday')) %}
{% endmacro %}


{# The unit of a model that names none. #}
{% macro cron_unit(model, cron, week_start) %}
  {% set units = {
    '@yearly': 'year', '@annually': 'year', '@quarterly': 'quarter', '@monthly': 'month', '@weekly': 'week',
    '@daily': 'day', '@midnight': 'day', '@hourly': 'hour',
  } %}
  {% if cron | lower not in units %}
    {% do dbt_kinds.fail(model, "cron '" ~ cron ~ "' cannot be read: write one of " ~ units | join(', ')
      ~ '; crons of five fields are not supported yet') %}
  {% endif %}
  {% do return(dbt_kinds.interval_unit(model, units[cron | lower], week_start)) %}
{% endmacro %}


{# The last tick that is not after an instant. #}
{% macro last_tick(model, cron, instant) %}
  {% do return(dbt_kinds.floor_to_unit(instant, dbt_kinds.cron_ticks(model, cron))) %}
{% endmacro %}
