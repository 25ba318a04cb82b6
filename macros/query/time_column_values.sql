{#
  How the values of a model's time column are written, given the type that Spark reports: see column_values. Pure.
  Raises when the column cannot be bounded, or when it is coarser than the interval: an hour of a date could not be
  replaced alone.
#}
{% macro time_column_values(options, data_type) %}
  {% set name = options.time_column.column %}
  {% set values = dbt_kinds.column_values(options.model, name, data_type, options.time_column.format) %}
  {% if values.step is not none and not dbt_kinds._divides(values.step, options.unit) %}
    {% do dbt_kinds.fail(options.model,
      "time_column '" ~ name ~ "' is only as fine as a " ~ values.precision ~ ', so an interval of one '
      ~ options.unit.name ~ ' could not be replaced alone; use a finer column, or set interval_unit: '
      ~ values.precision) %}
  {% endif %}
  {% do return(values) %}
{% endmacro %}


{#
  How the values of a time column are written: `{write, precision, step, strftime}`. `precision` is the smallest part
  it holds and `step` the same as a unit, both none if it is finer than any interval. Pure.
#}
{% macro column_values(model, name, data_type, format) %}
  {% set base_type = dbt_kinds.base_type(data_type) %}
  {% set values = namespace(write=none, precision=none, strftime=none) %}
  {% if base_type in ['timestamp', 'timestamp_ntz', 'date'] %}
    {% set values.write = base_type %}
    {% set values.precision = 'day' if base_type == 'date' else none %}
  {% elif base_type in ['string', 'varchar', 'char'] or (base_type in ['int', 'bigint'] and format) %}
    {% set parsed = dbt_kinds.time_format(model, format or '%Y-%m-%d') %}
    {% set values.write = 'string' if base_type in ['string', 'varchar', 'char'] else 'integer' %}
    {% if values.write == 'integer' and not dbt_kinds.matches('(%.)+', parsed.strftime) %}
      {% do dbt_kinds.fail(model, "the format '" ~ format ~ "' of time_column '" ~ name
        ~ "' is not a number; write one of digits only, "
        ~ 'such as %Y%m%d') %}
    {% endif %}
    {% set values.strftime = parsed.strftime %}
    {% set values.precision = parsed.unit if parsed.unit != 'second' else none %}
  {% else %}
    {% do dbt_kinds.fail(model, "time_column '" ~ name ~ "' has the type " ~ data_type
      ~ ', which cannot be bounded by time; '
      ~ 'use a date, a timestamp or a string, or an integer with a format such as '
      ~ "{'column': '" ~ name ~ "', 'format': '%Y%m%d'}") %}
  {% endif %}
  {% set step = {
    'year': {'months': 12}, 'month': {'months': 1},
    'day': {'months': 0, 'seconds': 86400, 'origin': 0}, 'hour': {'months': 0, 'seconds': 3600, 'origin': 0},
    'minute': {'months': 0, 'seconds': 60, 'origin': 0},
  }.get(values.precision) %}
  {% do return({'write': values.write, 'precision': values.precision, 'step': step, 'strftime': values.strftime}) %}
{% endmacro %}


{# Whether every boundary of a unit is also a boundary of a step. #}
{% macro _divides(step, unit) %}
  {% if step.months %}
    {% do return(unit.months > 0 and unit.months % step.months == 0) %}
  {% endif %}
  {% do return(unit.months > 0 or unit.seconds % step.seconds == 0) %}
{% endmacro %}


{# A type without its parameters: `decimal` of `decimal(10,2)`. Pure. #}
{% macro base_type(data_type) %}
  {% do return(modules.re.split('[(<]', data_type)[0] | lower) %}
{% endmacro %}


{# Whether a unit is not made of whole days. Pure. #}
{% macro is_finer_than_days(unit) %}
  {% do return(not dbt_kinds._divides({'months': 0, 'seconds': 86400}, unit)) %}
{% endmacro %}
