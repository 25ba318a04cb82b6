{#
  The reason of a plan. Its wording is fixed by the table of reasons in the documentation, on which people and tests
  rely. `reload_reasons` says which units are loaded though they are recorded, and why, `waits` which are not to be
  loaded yet, `late` what to say of late data.
#}
{% macro plan_reason(settings, window, recorded, bounds, planning_range, units, reload_reasons, start_anew, waits=[],
  late=[]) %}
  {% set waiting = waits | map(attribute='words') | list %}
  {% set is_idle = not units.missing and not (units.done if start_anew else []) %}
  {% set missing_units, recorded_units = dbt_kinds.count_units(units.missing), dbt_kinds.count_units(units.done) %}
  {% if planning_range[0] >= planning_range[1] %}
    {% do return('nothing is due: the first unit begins at ' ~ bounds[0] if window is none
      else 'window lies outside ' ~ bounds[0] ~ ' to ' ~ bounds[1]) %}
  {% elif settings.full_refresh and not (waiting and is_idle) %}
    {% do return((['full refresh'] + waiting) | join(', ')) %}
  {% elif start_anew and (window is not none or not recorded) %}
    {% do return((['full restatement'] + waiting) | join(', ')) %}
  {% elif window is not none %}
    {% do return('window: ' ~ missing_units ~ ' missing, ' ~ recorded_units ~ ' recorded'
      ~ (', ' ~ dbt_kinds.count_units(reload_reasons.protected) ~ ' protected' if reload_reasons.protected else '')) %}
  {% elif not recorded %}
    {% do return(((['first load'] if units.missing else []) + waiting) | join(', ')) %}
  {% endif %}
  {% set parts = [] %}
  {% do parts.append(missing_units ~ ' missing') if units.missing %}
  {% do parts.append(dbt_kinds.count_units(reload_reasons.looked_back) ~ ' looked back')
    if reload_reasons.looked_back %}
  {% do parts.append('automatic restatement of ' ~ dbt_kinds.count_units(reload_reasons.automatic))
    if reload_reasons.automatic %}
  {% do parts.append('query changed: ' ~ dbt_kinds.count_units(reload_reasons.rebuilt) ~ ' to rebuild')
    if reload_reasons.rebuilt %}
  {% do parts.append('upstream changed: ' ~ dbt_kinds.count_units(reload_reasons.upstream) ~ ' to reprocess ('
    ~ reload_reasons.changed_parents | sort | join(', ') ~ ')') if reload_reasons.upstream %}
  {% set idle = ['up to date until ' ~ planning_range[1]] if not parts + waiting and not reload_reasons.late else [] %}
  {% do return((idle + parts + late + waiting) | join(', ')) %}
{% endmacro %}
