{# The instant at which the unit of that number begins; the end of unit i is the start of unit i + 1. #}
{% macro unit_start(index, unit) %}
  {% if unit.months %}
    {% set month = index * unit.months %}
    {% do return(modules.datetime.datetime(1970 + month // 12, month % 12 + 1, 1).isoformat()) %}
  {% endif %}
  {% set since_1970 = modules.datetime.timedelta(seconds=index * unit.seconds + unit.origin) %}
  {% do return((modules.datetime.datetime(1970, 1, 1) + since_1970).isoformat()) %}
{% endmacro %}
