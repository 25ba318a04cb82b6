{# The seconds from one ISO text to another, with microseconds, which dbt 2.0 loses when it subtracts datetimes.
   Pure. #}
{% macro seconds_between(earlier, later) %}
  {% do return((dbt_kinds._microseconds_since_1970(later) - dbt_kinds._microseconds_since_1970(earlier)) / 1000000) %}
{% endmacro %}


{% macro _microseconds_since_1970(instant) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant[:19]) %}
  {% do return(dbt_kinds.seconds_since_1970(at) * 1000000 + (instant[20:26] ~ '000000')[:6] | int) %}
{% endmacro %}
