{# The number of the unit that contains an instant: adjacent units differ by one, whatever their length. #}
{% macro unit_index(instant, unit) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% if unit.months %}
    {% do return(((at.year - 1970) * 12 + at.month - 1) // unit.months) %}
  {% endif %}
  {# as seconds_since_1970 has it: planners ask for very many indexes, and a call costs more than the sum #}
  {% set since_1970 = (at.date() - modules.datetime.date(1970, 1, 1)).days * 86400 + at.hour * 3600 + at.minute * 60
    + at.second %}
  {% do return((since_1970 - unit.origin) // unit.seconds) %}
{% endmacro %}


{# The seconds since 1970 of a datetime, without its fraction of a second. #}
{% macro seconds_since_1970(at) %}
  {% do return((at.date() - modules.datetime.date(1970, 1, 1)).days * 86400 + at.hour * 3600 + at.minute * 60
    + at.second) %}
{% endmacro %}
