{#
  `{lookback, late_data}`: how many units before a missing one are reloaded with it, and, if late data is detected in
  the sources, `{maximum, on_lost_history}`; else none.
#}
{% macro lookback_options(model, given) %}
  {% set written = given.get('lookback', 0) %}
  {% set example = 'write a number of units, auto, or a mapping such as {auto: true, minimum: 1, maximum: 30, on_lost_history: reload}' %}
  {% if written is mapping %}
    {% set known = ['auto', 'minimum', 'maximum', 'on_lost_history'] %}
    {% for name in written if name not in known %}
      {% set meant = dbt_kinds.nearest_name(name, known) %}
      {% do dbt_kinds.fail(model, "lookback has no '" ~ name ~ "'; "
        ~ ("did you mean '" ~ meant ~ "'?" if meant is not none else example)) %}
    {% endfor %}
    {% if not dbt_kinds.true_or_false(model, 'lookback.auto', written.get('auto', false)) %}
      {% do dbt_kinds.fail(model, 'lookback.auto is not true, so late data is not detected; write lookback: '
        ~ written.get('minimum', 0) ~ ', or auto: true') %}
    {% endif %}
  {% elif written | string | lower != 'auto' %}
    {% if 'on_lost_history' in given and 'capture' not in given %}
      {% do dbt_kinds.fail(model, 'on_lost_history belongs to lookback: auto; remove it, or set lookback: auto') %}
    {% endif %}
    {% do return({'lookback': dbt_kinds.whole_number(model, 'lookback', written, 0) if 'lookback' in given else 0,
      'late_data': none}) %}
  {% endif %}
  {% set auto = written if written is mapping else {} %}
  {% set minimum = dbt_kinds.whole_number(model, 'lookback.minimum', auto.get('minimum', 0), 0) %}
  {% set maximum = dbt_kinds.whole_number(model, 'lookback.maximum', auto.maximum, 1) if auto.get('maximum') is not none
    else none %}
  {% if maximum is not none and minimum > maximum %}
    {% do dbt_kinds.fail(model, 'lookback.minimum ' ~ minimum ~ ' is more than lookback.maximum ' ~ maximum) %}
  {% endif %}
  {% do return({'lookback': minimum, 'late_data': {
    'maximum': maximum,
    'on_lost_history': dbt_kinds.one_of(model, 'on_lost_history',
      auto.get('on_lost_history', given.get('on_lost_history', 'warn')), ['warn', 'reload']),
  }}) %}
{% endmacro %}
