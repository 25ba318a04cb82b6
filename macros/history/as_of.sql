{#
  The rows of a table of SCD type 2 that were valid at an instant, for a `from`:
  `from {{ dbt_kinds.as_of(ref('prices'), '2024-03-01') }} as p`. The instant is a string, in UTC, or one of the time
  variables; the managed columns stay visible.
#}
{% macro as_of(relation, instant, valid_from='valid_from', valid_to='valid_to') %}
  {% set from_column, to_column = dbt_kinds.quoted(valid_from), dbt_kinds.quoted(valid_to) %}
  {% set at = dbt_kinds._as_of_instant(instant) %}
  {% do return('(select * from ' ~ relation ~ ' where ' ~ from_column ~ ' <= ' ~ at ~ ' and (' ~ to_column
    ~ ' is null or ' ~ to_column ~ ' > ' ~ at ~ '))') %}
{% endmacro %}


{# The rows of a table of SCD type 2 that are open: the newest version of every key that is not deleted. #}
{% macro current(relation, valid_to='valid_to') %}
  {% do return('(select * from ' ~ relation ~ ' where ' ~ dbt_kinds.quoted(valid_to) ~ ' is null)') %}
{% endmacro %}


{#
  A string that is an instant becomes a text with the offset of UTC, which Spark reads in the columns' own type,
  whatever the session's time zone: a timestamp literal would be compared with dates at local midnight. The comment
  keeps the model's hash. Other SQL, such as a column or a time variable, is unchanged.
#}
{% macro _as_of_instant(instant) %}
  {% set text = instant | string | trim %}
  {% if dbt_kinds.matches('[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?', text) %}
    {% do return('/*kinds:as_of*/ '
      ~ dbt_kinds.time_literal('tstz', dbt_kinds.parse_instant(model.name, 'the instant of as_of', text))) %}
  {% elif not text %}
    {% do dbt_kinds.fail(model.name,
      "as_of needs an instant; write a date such as '2024-03-01', or SQL such as dbt_kinds.end_dt()") %}
  {% endif %}
  {% do return(dbt_kinds.validate_sql_fragment(model.name, 'the instant of as_of', text)) %}
{% endmacro %}
