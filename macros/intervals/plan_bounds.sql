{# The requested window, aligned, or none. #}
{% macro requested_window(options, settings) %}
  {% set start, end = settings.start, settings.end %}
  {% if start is none and end is none %}
    {% do return(none) %}
  {% elif start is none or end is none %}
    {% do dbt_kinds.fail(options.model, 'kinds_start and kinds_end go together; pass both') %}
  {% elif settings.full_refresh %}
    {% do dbt_kinds.fail(options.model,
      'a full refresh takes no window; drop either --full-refresh or kinds_start and kinds_end') %}
  {% elif start >= end %}
    {% do dbt_kinds.fail(options.model, 'kinds_start ' ~ start ~ ' is not before kinds_end ' ~ end) %}
  {% endif %}
  {% set lower = dbt_kinds.floor_to_unit(start, options.unit) %}
  {% if options.allow_partials %}
    {% do return([lower, end]) %}
  {% endif %}
  {% set upper = dbt_kinds.ceil_to_unit(end, options.unit) %}
  {% if [lower, upper] != [start, end] %}
    {% do dbt_kinds.fail(options.model, 'the window ' ~ start ~ ' to ' ~ end
      ~ ' is not aligned to its interval unit; the aligned window is ' ~ lower ~ ' to ' ~ upper) %}
  {% endif %}
  {% do return([lower, upper]) %}
{% endmacro %}


{#
  The end of what a run may load; an interval that ends later is not complete. It is the cron's last tick, or the
  execution time if a window is requested or the cron is ignored; not later than `end`, and the boundary of a unit,
  unless allow_partials is set.
#}
{% macro upper_bound(options, settings, window) %}
  {% set due = settings.execution_time %}
  {% if window is none and not settings.ignore_cron %}
    {% set due = dbt_kinds.last_tick(options.cron_schedule, options.cron_tz, due) %}
  {% endif %}
  {% if options.end is not none %}
    {% set due = [due, options.end] | min %}
  {% endif %}
  {% do return(due if options.allow_partials else dbt_kinds.floor_to_unit(due, options.unit)) %}
{% endmacro %}


{# The instant from which a run looks for missing intervals. Raises if nothing says when a first load begins. #}
{% macro first_instant(options, recorded, window) %}
  {% if options.start is not none %}
    {% do return(dbt_kinds.floor_to_unit(options.start, options.unit)) %}
  {% elif recorded %}
    {% do return(dbt_kinds.floor_to_unit(recorded[0][0], options.unit)) %}
  {% elif window is none %}
    {% do dbt_kinds.fail(options.model,
      'no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end') %}
  {% endif %}
  {% do return(window[0]) %}
{% endmacro %}
