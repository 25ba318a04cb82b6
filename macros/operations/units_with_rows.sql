{#
  The units of a table that hold rows up to an instant: `{runs, earliest, left_out}`. `runs` are ranges of adjacent unit
  numbers, [first, after the last], so that the result is small for tables of any size; `earliest` is the first instant
  among them, or none; `left_out` counts the rows without such a time.
#}
{% macro units_with_rows(relation, column, values, unit, until) %}
  {% set rows = dbt_kinds.query_rows(dbt_kinds.units_with_rows_query(relation, column, values, unit, until)) %}
  {% set runs = [] %}
  {% set told = rows | selectattr('first_unit', 'defined') | sort(attribute='first_unit') %}
  {% for row in told %}
    {% do runs.append([row.first_unit, row.last_unit + 1]) %}
  {% endfor %}
  {% set unix_epoch = modules.datetime.datetime(1970, 1, 1) %}
  {% do return({
    'runs': runs,
    'earliest': (unix_epoch + modules.datetime.timedelta(microseconds=told[0].earliest)).isoformat() if told else none,
    'left_out': rows | rejectattr('first_unit', 'defined') | map(attribute='row_count') | sum,
  }) %}
{% endmacro %}


{#
  Adjacent units share the difference of number and rank. Years outside 1000 to 9998 are not supported; such rows have
  no unit.
  Pure.
#}
{% macro units_with_rows_query(relation, column, values, unit, until) %}
  {% set microseconds = dbt_kinds.seconds_since_1970(modules.datetime.datetime.fromisoformat(until)) * 1000000 %}
  {% set query %}
select min(unit) as first_unit, max(unit) as last_unit, min(earliest) as earliest, sum(row_count) as row_count
from (
  select unit, min(at) as earliest, count(*) as row_count, unit - row_number() over (order by unit) as run
  from (
    select at, case when at between -30610224000000000 and {{ microseconds }}
      then {{ dbt_kinds._unit_number('at', unit) }} end as unit
    from (select {{ dbt_kinds.microseconds(column, values) }} as at from {{ relation }})
  )
  group by unit
)
group by run
  {%- endset %}
  {% do return(query) %}
{% endmacro %}


{#
  SQL: unit_index of an instant in microseconds since 1970. Spark's div rounds towards zero, and a floating-point
  quotient is exact for months only. A date made from a number has no time zone.
#}
{% macro _unit_number(at, unit) %}
  {% if unit.months %}
    {% set day = 'date_from_unix_date(cast(' ~ dbt_kinds.floored_quotient(at, 86400000000) ~ ' as int))' %}
    {% do return('floor(((year(' ~ day ~ ') - 1970) * 12 + month(' ~ day ~ ') - 1) / ' ~ unit.months ~ ')') %}
  {% endif %}
  {% do return(dbt_kinds.floored_quotient('(' ~ at ~ ' - ' ~ unit.origin * 1000000 ~ ')' if unit.origin else at,
    unit.seconds * 1000000)) %}
{% endmacro %}


{% macro floored_quotient(number, divisor) %}
  {% do return('(' ~ number ~ ' - pmod(' ~ number ~ ', ' ~ divisor ~ ')) div ' ~ divisor) %}
{% endmacro %}


{#
  SQL: a time column as microseconds since 1970, read in UTC whatever the session's time zone. NULL for text that does
  not match the format: text is rearranged and parsed as ISO, because Spark's format parser raises and uses the
  session's zone.
#}
{% macro microseconds(column, values) %}
  {% if values.write == 'timestamp' %}
    {% do return('unix_micros(' ~ column ~ ')') %}
  {% elif values.write == 'date' %}
    {% do return('unix_date(' ~ column ~ ') * 86400000000') %}
  {% elif values.write == 'timestamp_ntz' %}
    {% do return('unix_date(cast(' ~ column ~ ' as date)) * 86400000000 + (hour(' ~ column ~ ') * 3600 + minute('
      ~ column
      ~ ') * 60) * 1000000L + cast(extract(second from ' ~ column ~ ') * 1000000 as bigint)') %}
  {% endif %}
  {% set text = 'cast(' ~ column ~ ' as string)' %}
  {% set pattern = dbt_kinds.text_literal('^'
    ~ modules.re.sub('%.', '([0-9]{2})', modules.re.escape(values.strftime) | replace('%Y', '([0-9]{4})')) ~ '$') %}
  {% set parts = ['$1', '-$2', '-$3', 'T$4', ':$5', ':$6'] %}
  {% set absent = ['', '-01', '-01', 'T00', ':00', ':00'] %}
  {% set present = values.strftime.count('%') %}
  {% set iso = (parts[:present] + absent[present:]) | join ~ '+00:00' %}
  {% do return('case when ' ~ text ~ ' rlike ' ~ pattern ~ ' then unix_micros(try_cast(regexp_replace(' ~ text ~ ', '
    ~ pattern ~ ", '" ~ iso ~ "') as " ~ dbt_kinds.zoned_timestamp() ~ ')) end') %}
{% endmacro %}
