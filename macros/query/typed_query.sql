{#
  The compiled query with its bounds in the types of what they are compared with, so that a window means the same
  instants whatever a column's type and the session's time zone; raises where they cannot be. `probe` is its
  probed_query, `probed` that query's SQL as it can be described, `columns` its columns.
#}
{% macro typed_query(options, sql, probe, probed, columns) %}
  {% if not probe.bounds %}
    {% do return(sql) %}
  {% endif %}
  {% set types = dbt_kinds.evident_types(options, probe, columns) %}
  {# what is evident is the same in every zone #}
  {% set analysed = dbt_kinds.analysed_query(probed) if types is none else {'plan': '', 'zone': none, 'is_utc': true} %}
  {% if analysed is none %}
    {% do return(sql) %}
  {% endif %}
  {% do return(dbt_kinds.with_bounds(sql,
    dbt_kinds.typed_names(options, probe.bounds, types, analysed,
      dbt_kinds.filtered_column(options, analysed, columns)))) %}
{% endmacro %}


{# The names of bounds in the forms of what they are compared with, whose types are `types`, or are in the plan. Raises
   if the session's time zone makes other instants of them. Pure. #}
{% macro typed_names(options, bounds, types, analysed, target) %}
  {% set names = [] %}
  {% for bound in bounds %}
    {% set type = types[loop.index0] if types is not none else dbt_kinds.compared_type(analysed, bound)
      if bound.is_compared else none %}
    {% do names.append(bound.name if type in [none, 'void']
      else dbt_kinds.typed_bound(options, bound, type, analysed, target)) %}
  {% endfor %}
  {% set passed_on = bounds | rejectattr('is_compared') | map(attribute='name') | list %}
  {% if passed_on and not analysed.is_utc and dbt_kinds.is_converted_locally(analysed.plan) %}
    {% do dbt_kinds.fail(options.model,
      options.get('part', 'its query') ~ ' converts ' ~ passed_on | unique | join(' or ')
        ~ " in the session's time zone, " ~ analysed.zone
      ~ ', where it is another instant; use start_dt and end_dt with timestamps, start_date and end_date with dates, without a conversion, or set spark.sql.session.timeZone to UTC') %}
  {% endif %}
  {% do return(names) %}
{% endmacro %}


{# SQL with other names for its bounds. Pure. #}
{% macro with_bounds(sql, names) %}
  {% set pieces, written = modules.re.split(dbt_kinds.sentinel_pattern(), sql), [] %}
  {% for literal in modules.re.findall(dbt_kinds.sentinel_pattern(), sql) %}
    {% do written.append(pieces[loop.index0] ~ '/*kinds:' ~ names[loop.index0] ~ '*/ ' ~ literal.split('*/ ', 1)[1]) %}
  {% endfor %}
  {% do return(written | join ~ pieces[-1]) %}
{% endmacro %}


{# The time column of a kind that filters what it writes: `{name, type, written, is_computed}`; none for other kinds. #}
{% macro filtered_column(options, analysed, columns) %}
  {% if not options.traits.filters_by_time %}
    {% do return(none) %}
  {% endif %}
  {% set column = dbt_kinds.find_column(columns, options.time_column.column) %}
  {% if column is none %}
    {% do return(none) %}
  {% endif %}
  {% do return({
    'name': column.name | lower, 'type': dbt_kinds.base_type(column.type),
    'is_computed': analysed is not none and dbt_kinds.is_computed(analysed, column.name),
    'written': dbt_kinds.time_column_values(options, column.type),
  }) %}
{% endmacro %}
