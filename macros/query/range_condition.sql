{# `column >= low and column < high` for one batch, typed by the column. The same text bounds the query and the
   table. #}
{% macro range_condition(column, values, batch) %}
  {% set start, end = batch %}
  {% if values.step is not none %}
    {% set end = dbt_kinds.ceil_to_unit(end, values.step) %}
  {% endif %}
  {% set low, high = dbt_kinds.bound_literal(values, start), dbt_kinds.bound_literal(values, end) %}
  {% do return(column ~ ' >= ' ~ low ~ ' and ' ~ column ~ ' < ' ~ high) %}
{% endmacro %}


{# An instant as a literal in the format of a column's values; `last_inside` gives the last microsecond before it
   instead. Pure. #}
{% macro bound_literal(values, instant, last_inside=false) %}
  {% if values.strftime is none %}
    {% do return(dbt_kinds.time_literal(dbt_kinds.suffix_of_type(values.write), instant, last_inside)) %}
  {% endif %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) - modules.datetime.timedelta(microseconds=1
    if last_inside else 0) %}
  {% set text = at.strftime(values.strftime) %}
  {% do return(text if values.write == 'integer' else dbt_kinds.text_literal(text)) %}
{% endmacro %}
