{# When intervals are due: `{cron_schedule, unit, auto_restatement}`, and what else follows from the kind. `options` are
   those that were read. #}
{% macro schedule_options(model, given, options) %}
  {% set week_start = given.get('week_start', 'monday') | string | lower %}
  {% if week_start not in ['monday', 'sunday'] %}
    {% do dbt_kinds.fail(model, "week_start '" ~ given.week_start ~ "' is neither monday nor sunday") %}
  {% endif %}
  {% set schedule = dbt_kinds.read_cron(model, 'cron', options.cron) %}
  {% do return({
    'cron_schedule': schedule,
    'unit': dbt_kinds.interval_unit(model, given.interval_unit, week_start) if 'interval_unit' in given
      else dbt_kinds.cron_unit(model, 'cron', schedule, week_start),
    'auto_restatement': dbt_kinds._auto_restatement(model, given),
    'allow_partials': options.allow_partials and not options.traits.accumulates
      and not options.traits.has_merge_timeline,
  }) %}
{% endmacro %}


{# `{schedule, intervals}`, with the parsed schedule, intervals none for all; none without a schedule. #}
{% macro _auto_restatement(model, given) %}
  {% set intervals = dbt_kinds.whole_number(model, 'auto_restatement_intervals', given.auto_restatement_intervals, 1)
    if 'auto_restatement_intervals' in given else none %}
  {% if 'auto_restatement_cron' not in given and intervals is not none %}
    {% do dbt_kinds.fail(model,
      "auto_restatement_intervals is how many intervals auto_restatement_cron reloads, and there is none; write when, as in auto_restatement_cron: '@weekly', or remove it") %}
  {% elif 'auto_restatement_cron' not in given %}
    {% do return(none) %}
  {% endif %}
  {% do return({
    'schedule': dbt_kinds.read_cron(model, 'auto_restatement_cron', given.auto_restatement_cron),
    'intervals': intervals,
  }) %}
{% endmacro %}
