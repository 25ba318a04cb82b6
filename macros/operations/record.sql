{#
  Records a range of a model's table as loaded, for tables that were filled by other means. If it is the interval of a
  write that is in doubt, what its run would have recorded: which files, which versions, which query.
#}
{% macro record(select=none, start=none, end=none, execution_time=none) %}
  {% set node = dbt_kinds.the_selected_model(select) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% set interval = dbt_kinds.stated_interval(node.name, start, end) %}
  {% set at = dbt_kinds.parse_instant(node.name, 'execution_time', execution_time) if execution_time is not none
    else dbt_kinds.run_settings(node.name).execution_time %}
  {# without a claim: losing this record would only cause a reload #}
  {% do dbt_kinds.check_no_lease(options) %}
  {% set pending = dbt_kinds.open_write(options.relation) %}
  {% do dbt_kinds.refuse_half_written(options, pending) %}
  {% set is_pending = dbt_kinds.may_be_written(pending, interval) %}
  {% if options.traits.takes_once and not is_pending %}
    {% do dbt_kinds.fail(node.name,
      'a model of kind events records what it took from ' ~ (options.landing or options.landing_table)
        ~ ', not intervals, so only the interval of a write that is in doubt can be recorded, '
        ~ ('and none is' if pending is none else 'which is ' ~ pending.interval_start ~ ' to ' ~ pending.interval_end)
        ~ '; to load everything that is there: disable_restatement: false and dbt run --full-refresh --select '
        ~ node.name) %}
  {% endif %}
  {% set announced = dbt_kinds.announced_load(pending) if is_pending else {} %}
  {% do announced.update({'execution_time': at}) if execution_time is not none %}
  {% do dbt_kinds.set_event_source('record') %}
  {% do dbt_kinds.append_events(options,
    [announced] if is_pending else dbt_kinds.manual_load_events([interval], at)
      + dbt_kinds.still_pending(pending, [interval])) %}
  {% do dbt_kinds.print_answer('record', {
    'model': node.unique_id, 'relation': options.relation, 'recorded': dbt_kinds.recorded_coverage(node),
  }) %}
{% endmacro %}


{# Events that record intervals as loaded, without a hash, so that they match every query. Pure. #}
{% macro manual_load_events(intervals, execution_time) %}
  {% set events = [] %}
  {% for start, end in intervals %}
    {% do events.append({'event': 'loaded', 'interval_start': start, 'interval_end': end,
      'execution_time': execution_time}) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}
