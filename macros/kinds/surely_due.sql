{#
  Whether a model is sure to have something to load when its turn comes: by the clock, its records, and settings, of
  which none is refused here, since that is for the model itself to do. A model whose plan depends on anything else is
  never called surely due, even if it has something to load.
#}
{% macro is_surely_due(node) %}
  {% set given, plan, settings = dbt_kinds.given_options(node), dbt_kinds.traits_of(node).plan,
    dbt_kinds.run_settings(node.name) %}
  {% for name in ['end', 'cron_tz', 'interval_unit', 'week_start', 'ready_until', 'on_missing_upstream', 'capture',
      'validity', 'skip_unchanged'] if name in given %}
    {% do return(false) %}
  {% endfor %}
  {% if settings.start is not none or settings.end is not none or settings.ignore_cron or dbt_kinds.is_partial_run() %}
    {% do return(false) %}
  {% endif %}
  {% set latest = dbt_kinds.latest_end(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
  {% if plan == 'plan_whole' %}
    {% do return(latest != 'unreadable') %}
  {% endif %}
  {% set cron = given.get('cron', '@daily') | string %}
  {% if plan not in ['plan_by_intervals', 'plan_by_merges'] or latest in [none, 'unreadable']
      or not dbt_kinds._is_plain_cron(cron) or not dbt_kinds._starts_before(given, latest) %}
    {% do return(false) %}
  {% endif %}
  {% set schedule = dbt_kinds.read_cron(node.name, 'cron', cron) %}
  {% set unit = dbt_kinds.cron_unit(node.name, 'cron', schedule, 'monday') %}
  {% do return(latest < dbt_kinds.upper_bound({'cron_schedule': schedule, 'cron_tz': 'UTC', 'unit': unit, 'end': none,
    'allow_partials': false}, settings, none)) %}
{% endmacro %}


{# Whether a cron is one of the names, or a minute with an hour or every hour, so that its ticks are plain. Pure. #}
{% macro _is_plain_cron(cron) %}
  {% do return(dbt_kinds.matches('@(?:hourly|daily|weekly|monthly|quarterly|yearly)|[0-5]?[0-9] (?:[*]|[01]?[0-9]|2[0-3]) [*] [*] [*]', cron)) %}
{% endmacro %}


{# Whether a model that was loaded until an instant starts before it. Of a start in another zone the day may differ by
   one. Pure. #}
{% macro _starts_before(given, instant) %}
  {% set start = given.get('start', given.get('begin')) %}
  {% set written = start | string %}
  {% do return(start is none or (dbt_kinds.matches('[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])[\\s\\S]*', written)
    and written[:10] < instant[:10])) %}
{% endmacro %}
