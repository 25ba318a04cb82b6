{#
  Which recorded units an ordinary run reloads, and why. A unit has one reason, in this order of precedence:
  a changed query (`rebuilt`), late data as found by late_data (`late`), lookback (`looked_back`), automatic restatement
  (`automatic`), a changed parent (`upstream`, by the `changed_parents`). late_units adds `too_far` and `lost`. All in
  unit numbers.
#}
{% macro reload_reasons(options, loads, settings, model_hash, parents, units, upper, late=[]) %}
  {% set may_restate = not options.disable_restatement %}
  {% set rebuilt = dbt_kinds._units_of_another_query(options, loads, model_hash, units.done, upper) if may_restate
    else [] %}
  {% set due = dbt_kinds.merge_intervals(units.missing + rebuilt) %}
  {% set unaffected = dbt_kinds.subtract_intervals(units.done, rebuilt) %}
  {% set reload_reasons = dict(dbt_kinds.late_units(options, late, unaffected, upper), rebuilt=rebuilt) %}
  {% set unaffected = dbt_kinds.subtract_intervals(unaffected, reload_reasons.late) %}
  {% set looked_back = dbt_kinds._units_before(due, options.lookback, unaffected) %}
  {% do reload_reasons.update({'looked_back': looked_back}) %}
  {% if may_restate %}
    {% set unaffected = dbt_kinds.subtract_intervals(unaffected, looked_back) %}
    {% set automatic = dbt_kinds._units_due_for_restatement(options, loads, settings, unaffected, upper) %}
    {% set unaffected = dbt_kinds.subtract_intervals(unaffected, automatic) %}
    {% set upstream, changed_parents = [], [] %}
    {% for parent in parents %}
      {% set changed = dbt_kinds.intersect_intervals(dbt_kinds.upstream_changes(loads, parent, options.unit),
        unaffected) %}
      {% do upstream.extend(changed) %}
      {% do changed_parents.append(parent.name) if changed %}
    {% endfor %}
    {% do reload_reasons.update({
      'automatic': automatic, 'upstream': dbt_kinds.merge_intervals(upstream), 'changed_parents': changed_parents,
    }) %}
  {% endif %}
  {% do return(reload_reasons) %}
{% endmacro %}


{# The recorded ones among the `lookback` units before each unit that is missing or to be rebuilt. #}
{% macro _units_before(due, lookback, unaffected) %}
  {% set before = [] %}
  {% for start, end in due %}
    {% do before.append([start - lookback, start]) %}
  {% endfor %}
  {% do return(dbt_kinds.intersect_intervals(dbt_kinds.merge_intervals(before), unaffected)) %}
{% endmacro %}


{# on_query_change: rebuild. A load without a hash matches every query. #}
{% macro _units_of_another_query(options, loads, model_hash, done, upper) %}
  {% if options.on_query_change != 'rebuild' or model_hash is none %}
    {% do return([]) %}
  {% endif %}
  {% set same = [] %}
  {% for load in loads if (load.model_hash or none) in [none, model_hash] %}
    {% do same.append([load.start, load.end]) %}
  {% endfor %}
  {% set of_this_query = dbt_kinds.covered_units(dbt_kinds.merge_intervals(same), options.unit, upper) %}
  {% do return(dbt_kinds.subtract_intervals(done, of_this_query)) %}
{% endmacro %}


{# Among the last whole units, those for which the latest load of any part ran before the schedule's last tick. #}
{% macro _units_due_for_restatement(options, loads, settings, done, upper) %}
  {% if options.auto_restatement is none %}
    {% do return([]) %}
  {% endif %}
  {% set tick = dbt_kinds.last_tick(options.auto_restatement.schedule, options.cron_tz, settings.execution_time) %}
  {% set stale = [] %}
  {% for load in loads if load.execution_time and load.execution_time < tick %}
    {% do stale.append([dbt_kinds.unit_index(load.start, options.unit),
      dbt_kinds.unit_index_after(load.end, options.unit)]) %}
  {% endfor %}
  {% set due = dbt_kinds.intersect_intervals(dbt_kinds.merge_intervals(stale), done) %}
  {% set last = dbt_kinds.unit_index(upper, options.unit) %}
  {% set first = due[0][0] if due and options.auto_restatement.intervals is none
    else last - options.auto_restatement.intervals | int(0) %}
  {% do return(dbt_kinds.intersect_intervals(due, [[first, last]])) %}
{% endmacro %}
