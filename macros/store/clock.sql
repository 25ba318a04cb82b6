{#
  The timestamp for an event: now by this machine's clock, but later than every event this run has read or written,
  because the clocks of two machines differ. ISO text with six digits of microseconds.
#}
{% macro next_moment() %}
  {% set clock = dbt_kinds.run_memory('clock') %}
  {% set moment = modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%dT%H:%M:%S.%f')[:26] %}
  {% if moment <= clock.get('newest', '') %}
    {% set moment = dbt_kinds.moment_after(clock.newest, 0.000001) %}
  {% endif %}
  {% do clock.update({'newest': moment}) %}
  {% do return(moment) %}
{% endmacro %}


{# dbt 2.0 loses the fraction of `seconds`, but not of `microseconds`. #}
{% macro moment_after(moment, seconds) %}
  {% set later = modules.datetime.datetime.fromisoformat(moment)
    + modules.datetime.timedelta(microseconds=(seconds * 1000000) | int) %}
  {% do return(later.strftime('%Y-%m-%dT%H:%M:%S.%f')[:26]) %}
{% endmacro %}


{# Notices the newest moment of the whole store, without reading its events. #}
{% macro notice_newest() %}
  {% set newest = 'select max(recorded_at) as newest from ' ~ dbt_kinds.store_source() ~ " where recorded_at rlike '^"
    ~ dbt_kinds.moment_pattern() ~ "$'" %}
  {% do dbt_kinds.notice_moments([dbt_kinds.query_rows(newest)[0].get('newest')]) %}
{% endmacro %}


{# Later events get later timestamps than the newest of these. What cannot be read as a moment, and sorts behind it, is
   passed over. #}
{% macro notice_moments(moments) %}
  {% set clock = dbt_kinds.run_memory('clock') %}
  {% for moment in moments | select | sort | reverse %}
    {% if moment <= clock.get('newest', '') %}
      {% break %}
    {% elif dbt_kinds.matches(dbt_kinds.moment_pattern(), moment) %}
      {% do clock.update({'newest': moment}) %}
      {% break %}
    {% endif %}
  {% endfor %}
{% endmacro %}
