{#
  What the kind `append` adds: `{capture, on_lost_history}`. Without `capture` the kind loads intervals.
  `delta_overrides` are only read by `compile` and `check`.
#}
{% macro append_options(node, options, given) %}
  {% set model = options.model %}
  {% set capture = dbt_kinds.one_of(model, 'capture', given.capture, ['snapshot', 'cursor']) if 'capture' in given
    else none %}
  {% for name in ['on_source_change', 'on_lost_history'] if name in given and capture != 'snapshot' %}
    {% do dbt_kinds.fail(model, name ~ ' belongs to capture: snapshot; remove it, or set capture: snapshot') %}
  {% endfor %}
  {% for name in ['cursor', 'cursor_initial'] if name in given and capture != 'cursor' %}
    {% do dbt_kinds.fail(model, name ~ ' belongs to capture: cursor; remove it, or set capture: cursor') %}
  {% endfor %}
  {% if capture == 'cursor' and not given.get('cursor') %}
    {% do dbt_kinds.fail(model,
      "capture: cursor needs a cursor; name the column of the query whose values only grow, as in meta={'cursor': 'id'}") %}
  {% endif %}
  {% do return({
    'capture': capture,
    'on_lost_history': dbt_kinds.one_of(model, 'on_lost_history', given.get('on_lost_history', 'error'),
      ['reload', 'error']),
  }) %}
{% endmacro %}


{# The increasing column and its initial value, for any kind that takes them: `{cursor, cursor_initial}`; empty if none
   is given. #}
{% macro cursor_options(model, given) %}
  {% if 'cursor_initial' in given and 'cursor' not in given %}
    {% do dbt_kinds.fail(model,
      "cursor_initial is where a cursor begins, and there is none; name its column, as in meta={'cursor': 'id'}, or remove it") %}
  {% endif %}
  {% do return({'cursor': given.cursor, 'cursor_initial': given.get('cursor_initial', '1970-01-01T00:00:00Z') | string}
    if 'cursor' in given else {}) %}
{% endmacro %}
