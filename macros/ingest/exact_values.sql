{#
  SQL of a boolean: whether the value that Spark read for a type is what was written. `text` is what was written, as
  strings in the shape of the type (text_type), with numbers behind a mark if there is one. None if a value of that type
  is either read as it is or not at all: Spark rounds decimals and floats, but not integers. Pure.
#}
{% macro exact_value(type, value, text, mark=none, depth=0) %}
  {% if type.kind == 'atomic' %}
    {% set found = dbt_kinds._exact_atom(type.text, value, text, mark) %}
    {% do return('(' ~ value ~ ' is null or coalesce(' ~ found ~ ', false))' if found is not none else none) %}
  {% elif type.kind == 'struct' %}
    {% set parts = [] %}
    {% for field in type.fields %}
      {% set name = '.' ~ dbt_kinds.quoted(field.name) %}
      {% do parts.append(dbt_kinds.exact_value(field.type, value ~ name, text ~ name, mark, depth)) %}
    {% endfor %}
    {% set parts = parts | select | list %}
    {% do return('(' ~ parts | join(' and ') ~ ')' if parts else none) %}
  {% elif type.kind == 'array' %}
    {% do return(dbt_kinds._exact_list(type.element, value, text, mark, depth)) %}
  {% elif type.kind == 'map' %}
    {% do return(dbt_kinds._exact_list(type.value, 'map_values(' ~ value ~ ')', 'map_values(' ~ text ~ ')', mark,
      depth)) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The same for a list of values. The columns of a lambda have names of their own at each depth. #}
{% macro _exact_list(type, values, texts, mark, depth) %}
  {% set value, text = '_kinds_value_' ~ depth, '_kinds_text_' ~ depth %}
  {% set of_each = dbt_kinds.exact_value(type, value, text, mark, depth + 1) %}
  {% if of_each is not none %}
    {% do return('(' ~ values ~ ' is null or coalesce(forall(zip_with(' ~ values ~ ', ' ~ texts ~ ', (' ~ value ~ ', '
      ~ text ~ ') -> ' ~ of_each ~ '), _kinds_each -> _kinds_each), false))') %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# SQL of a boolean, or none, for a value that is not null. #}
{% macro _exact_atom(type, value, text, mark) %}
  {% set name = type.split('(')[0] %}
  {% if name == 'decimal' %}
    {% do return(dbt_kinds._exact_decimal(text, type.split(',')[1].rstrip(')'))) %}
  {% elif name in ['float', 'double'] %}
    {% do return(dbt_kinds._exact_float(value, text)) %}
  {% elif name in ['date', 'timestamp', 'timestamp_ntz'] %}
    {% do return(dbt_kinds._exact_time(name, text)) %}
  {% elif name == 'string' and mark is not none %}
    {# its value is what was written #}
    {% do return('(' ~ text ~ ' is not null and not (_kinds_has_half and instr(' ~ value ~ ", '?') > 0))") %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The decimals of a number are those written, less the exponent, less the zeros that its digits end in. #}
{% macro _exact_decimal(text, scale) %}
  {% set digits = 'regexp_replace(regexp_extract(' ~ text ~ ", '^[^eE]*', 0), '[^0-9]', '')" %}
  {% set exponent = 'if(' ~ text ~ " rlike '[eE]', try_cast(regexp_extract(" ~ text
    ~ ", '[eE]([+-]?[0-9]+)', 1) as int), 0)" %}
  {% do return('(' ~ digits ~ " rlike '^0*$' or length(regexp_extract(" ~ text ~ ", '[.]([0-9]*)', 1)) - " ~ exponent
    ~ ' - length(regexp_extract(' ~ digits ~ ", '0*$', 0)) <= " ~ scale ~ ')') %}
{% endmacro %}


{# A float is the nearest to what is written, as its type says. But nothing becomes infinite or zero, and a whole number
   stays the same. NaN and Infinity are written in words. #}
{% macro _exact_float(value, text) %}
  {% set whole = 'try_cast(regexp_extract(' ~ text ~ ", '[+-]?[0-9]+', 0) as decimal(38,0))" %}
  {% do return('case when isnan(' ~ value ~ ') then true when abs(' ~ value ~ ") = double('infinity') then not " ~ text
    ~ " rlike '[0-9]' when " ~ value ~ ' = 0 then not regexp_extract(' ~ text
    ~ ", '^[^eE]*', 0) rlike '[1-9]' when " ~ text ~ " rlike '[.eE]' then true else " ~ whole ~ ' = try_cast(' ~ value
    ~ ' as decimal(38,0)) end') %}
{% endmacro %}


{# Spark cuts off what is finer than a microsecond, the time of day of a date, and the zone of a time that has none. #}
{% macro _exact_time(type, text) %}
  {% set time = 'regexp_replace(' ~ text ~ ", '^ *[0-9]{4,}(-[0-9]{1,2}){0,2}', '')" %}
  {% set utc = ' *(Z|UTC|GMT|[+-][0:]+)?' %}
  {% if type == 'date' %}
    {% do return(time ~ " rlike '^([ T][0:.]*" ~ utc ~ ")? *$'") %}
  {% endif %}
  {% set found = ['not ' ~ time ~ " rlike '[.][0-9]{6}[0-9]*[1-9]'"] %}
  {% do found.append(time ~ " rlike '^([ T][0-9:.]*" ~ utc ~ ")? *$'") if type == 'timestamp_ntz' %}
  {% do return('(' ~ found | join(' and ') ~ ')') %}
{% endmacro %}
