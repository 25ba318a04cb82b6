{# The options of cumulative_aggregate: the GROUP BY columns, and the combiner of every other column. #}
{% macro cumulative_options(node, options, given) %}
  {% set model = options.model %}
  {% set example = "as in meta={'unique_key': ['user_id'], 'combine': {'visits': 'add', 'last_seen': 'greatest'}}" %}
  {% if 'unique_key' not in given %}
    {% do dbt_kinds.fail(model, 'unique_key is missing; name the columns that the query groups by, ' ~ example) %}
  {% elif given.get('combine') is not mapping %}
    {% do dbt_kinds.fail(model, ("combine '" ~ given.combine ~ "' is not a mapping" if 'combine' in given
      else 'combine is missing')
      ~ '; say how the states of each aggregate become one, ' ~ example) %}
  {% endif %}
  {% set keys = [] %}
  {% for written in dbt_kinds.key_expressions(model, given.unique_key) %}
    {% if dbt_kinds.lexed_words(written) | selectattr('text', 'in', ['(', ')']) | list %}
      {% do dbt_kinds.fail(model, "unique_key '" ~ written
        ~ "' is an expression, and the key is what the query groups by; name a column of the query, " ~ example) %}
    {% endif %}
    {% do keys.append(dbt_kinds.unquoted(written)) %}
  {% endfor %}
  {% set combine, known = {}, dbt_kinds.state_functions().keys() %}
  {% for column, combiner in given.combine.items() %}
    {% if column | lower in keys | map('lower') %}
      {% do dbt_kinds.fail(model, "combine names '" ~ column
        ~ "', which is part of unique_key; remove it from one of them") %}
    {% endif %}
    {% do combine.update({column | lower: dbt_kinds.one_of(model, 'combine.' ~ column, combiner, known)}) %}
  {% endfor %}
  {% set time_column = dbt_kinds.time_column(model, given.time_column) if 'time_column' in given else none %}
  {% if time_column is not none and time_column.column | lower in keys | map('lower') %}
    {% do dbt_kinds.fail(model, "unique_key holds '" ~ time_column.column
      ~ "', the time_column, so no key ever comes twice and nothing accumulates; "
      ~ 'write materialized: incremental_by_time_range') %}
  {% endif %}
  {% do return({'unique_key': keys, 'combine': combine, 'time_column': time_column}) %}
{% endmacro %}


{#
  The aggregate functions that combine two states, by the values of the option combine. All of them ignore NULL, and sum
  keeps the type of a decimal, which + does not (decimal(38,18) + decimal(38,18) is a decimal(38,17)).
#}
{% macro state_functions() %}
  {% do return({
    'add': 'sum', 'least': 'min', 'greatest': 'max', 'and': 'bool_and', 'or': 'bool_or', 'bit_and': 'bit_and',
    'bit_or': 'bit_or', 'bit_xor': 'bit_xor',
  }) %}
{% endmacro %}
