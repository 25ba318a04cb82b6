{# The seconds of a text such as `7 days`, `26h`, or `minute` for one minute. Pure. #}
{% macro seconds_of_duration(subject, name, written) %}
  {% set found = modules.re.match('(?:(\\d+)\\s*)?(seconds?|minutes?|hours?|days?|weeks?|[smhdw])\\s*$',
    written | string | lower | trim) %}
  {% if not found or found.group(1) | default('1', true) | int < 1 %}
    {% do dbt_kinds.fail(subject, name ~ " '" ~ written
      ~ "' is not a number of seconds, minutes, hours, days or weeks, as in '7 days'") %}
  {% endif %}
  {% set lengths = {'s': 1, 'm': 60, 'h': 3600, 'd': 86400, 'w': 604800} %}
  {% do return((found.group(1) | default('1', true)) | int * lengths[found.group(2)[0]]) %}
{% endmacro %}
