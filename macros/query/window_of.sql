{#
  The part of a source that one window needs:
  `from {{ dbt_kinds.window_of(ref('events'), 'event_date', before='P1D') }} as e`.
  Both bounds are sentinels, which a kind substitutes for each batch. It only reduces what is read: the output filter of
  the kind still decides which rows are written.
#}
{% macro window_of(relation, column, before='PT0S', after='PT0S', unit='day', week_start='monday', data_type='date',
  format=none) %}
  {% if column is not string %}
    {% do dbt_kinds.fail(model.name, "window_of stands in place of a table; write: from "
      ~ "{{ dbt_kinds.window_of(ref('orders'), 'ordered_at') }} as orders, with the name of a column of that table") %}
  {% endif %}
  {% set unit = unit or 'none' %}
  {% do dbt_kinds._check_source_window(model.name, column, before, after, unit, week_start) %}
  {% set source = {
    'relation': dbt_kinds.relation_key(relation.database, relation.schema, relation.identifier), 'column': column,
    'before': before, 'after': after, 'unit': unit, 'week_start': week_start, 'data_type': data_type, 'format': format,
  } %}
  {% do dbt_kinds.check_deletes_are_seen(model, '/*kinds:source_start*/') %}
  {% set settings = dbt_kinds.preview_settings(model.name) %}
  {% set window = dbt_kinds.preview_window(model, settings) %}
  {# a name that contains */ would end the comment #}
  {% set bounds = {} %}
  {% for side in ['source_start', 'source_end'] %}
    {% do bounds.update({side: '/*kinds:' ~ side ~ ' ' ~ (dbt_kinds.json_text(source) | replace('*', '\\u002a')) ~ '*/ '
      ~ dbt_kinds.source_literal(side, source, window)}) %}
  {% endfor %}
  {% set quoted = dbt_kinds.quoted(column) %}
  {% do return('(select * from ' ~ relation ~ ' where ' ~ quoted ~ ' >= ' ~ bounds.source_start ~ ' and ' ~ quoted
    ~ ' < ' ~ bounds.source_end ~ ')') %}
{% endmacro %}


{# One bound of a source for one window, as a literal of the column's type. Pure. #}
{% macro source_literal(side, source, window) %}
  {% set start, end = dbt_kinds.source_window(window, source) %}
  {% set values = dbt_kinds.column_values('', source.column, source.data_type, source.format) %}
  {% if side == 'source_start' %}
    {% do return(dbt_kinds.bound_literal(values, start)) %}
  {% endif %}
  {% do return(dbt_kinds.bound_literal(values,
    dbt_kinds.ceil_to_unit(end, values.step) if values.step is not none else end)) %}
{% endmacro %}


{% macro _check_source_window(model, column, before, after, unit, week_start) %}
  {% for name, duration in [('before', before), ('after', after)] if dbt_kinds.read_duration(duration) is none %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ duration
      ~ "' of window_of is not an ISO-8601 duration; write one such as PT30M, P1D or P1M") %}
  {% endfor %}
  {% if week_start not in ['monday', 'sunday'] %}
    {% do dbt_kinds.fail(model, "week_start '" ~ week_start ~ "' is neither monday nor sunday") %}
  {% endif %}
  {% if unit != 'none' %}
    {% do dbt_kinds.interval_unit(model, unit, week_start) %}
  {% endif %}
{% endmacro %}
