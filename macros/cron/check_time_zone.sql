{# An IANA name in its exact spelling, as given; offsets such as +02:00 and abbreviations such as CEST are refused. #}
{% macro check_time_zone(model, name) %}
  {% if name != 'UTC' and name | string not in dbt_kinds.time_zone_names() %}
    {% do dbt_kinds.fail(model, "cron_tz '" ~ name ~ "' is not a time zone name; write one such as Europe/Berlin") %}
  {% endif %}
  {% do return(name) %}
{% endmacro %}
