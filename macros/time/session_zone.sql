{# The name of the session's time zone. Asks Spark once in a run. #}
{% macro session_zone() %}
  {% set known = dbt_kinds.run_memory('time_zone') %}
  {% do known.update({'time_zone': run_query('select current_timezone()').rows[0][0]}) if not known %}
  {% do return(known.time_zone) %}
{% endmacro %}


{# Whether a time zone's name, as Spark takes it, means UTC. Pure. #}
{% macro is_utc(zone) %}
  {% do return(zone in [
    'UTC', 'Etc/UTC', 'Z', 'GMT', 'Etc/GMT', 'UCT', 'Etc/UCT', 'Universal', 'Etc/Universal', 'Zulu', 'Etc/Zulu',
    'Greenwich', 'Etc/Greenwich', 'GMT0', 'Etc/GMT0', 'UT', '+00:00',
  ]) %}
{% endmacro %}
