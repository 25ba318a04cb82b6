{# An instant as a literal of a time type; for a date, its day in UTC; the number of a run as one of bigint. Pure. #}
{% macro instant_literal(type, instant) %}
  {% if type == 'bigint' %}
    {% do return('cast(' ~ instant ~ ' as bigint)') %}
  {% endif %}
  {% do return(dbt_kinds.time_literal(dbt_kinds.suffix_of_type(type), instant)) %}
{% endmacro %}


{# SQL: a value of one time type converted to another, in UTC regardless of the session's time zone, which a cast would
   use. Pure. #}
{% macro converted_instant(expression, source, target) %}
  {% if source == target %}
    {% do return(expression) %}
  {% endif %}
  {% do return(dbt_kinds.instant_of_microseconds(dbt_kinds.microseconds(expression, {'write': source}), target)) %}
{% endmacro %}


{# SQL: microseconds since 1970 as a value of a time type. Pure. #}
{% macro instant_of_microseconds(microseconds, type) %}
  {% if type == 'timestamp' %}
    {% do return('timestamp_micros(' ~ microseconds ~ ')') %}
  {% endif %}
  {% set days = dbt_kinds.floored_quotient('(' ~ microseconds ~ ')', 86400000000) %}
  {% if type == 'date' %}
    {% do return('date_from_unix_date(cast(' ~ days ~ ' as int))') %}
  {% endif %}
  {% do return("timestamp_ntz '1970-01-01 00:00:00' + make_dt_interval(cast(" ~ days ~ ' as int), 0, 0, cast(pmod('
    ~ microseconds
    ~ ', 86400000000) as decimal(20, 6)) / 1000000)') %}
{% endmacro %}
