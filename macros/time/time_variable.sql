{#
  What a time variable renders to in a model's SQL: a comment that names it, then a valid literal. A
  kind replaces both for each batch; every other dbt command runs the literal.
#}
{% macro time_variable(prefix, suffix) %}
  {% do dbt_kinds.check_deletes_are_seen(model, '/*kinds:' ~ prefix ~ '_' ~ suffix ~ '*/') %}
  {% set settings = dbt_kinds.preview_settings(model.name) %}
  {% set window = dbt_kinds.preview_window(model, settings) %}
  {% do return('/*kinds:' ~ prefix ~ '_' ~ suffix ~ '*/ '
    ~ dbt_kinds.window_literal(prefix, suffix, window, settings.execution_time)) %}
{% endmacro %}


{# The literal of one time variable for one window, without its comment. #}
{% macro window_literal(prefix, suffix, window, execution_time) %}
  {% if prefix == 'execution' %}
    {% do return(dbt_kinds.time_literal(suffix, execution_time)) %}
  {% elif prefix == 'start' %}
    {% do return(dbt_kinds.time_literal(suffix, window[0])) %}
  {% endif %}
  {% do return(dbt_kinds.time_literal(suffix, window[1], last_inside=true)) %}
{% endmacro %}


{# The run's settings. While dbt parses, it also reads models that are not selected, which must not fail because of a
   variable. #}
{% macro preview_settings(model) %}
  {% if execute %}
    {% do return(dbt_kinds.run_settings(model)) %}
  {% endif %}
  {% do return({'execution_time': '1970-01-02T00:00:00', 'start': '1970-01-01T00:00:00',
    'end': '1970-01-02T00:00:00'}) %}
{% endmacro %}


{#
  The window outside a kind's own run: the requested one, else the last whole unit. A model that is not of a kind
  (an ephemeral parent, a view) uses days.
#}
{% macro preview_window(node, settings) %}
  {% if settings.start is not none and settings.end is not none %}
    {% do return([settings.start, settings.end]) %}
  {% endif %}
  {# while dbt parses, a model's configuration is not complete yet #}
  {% if execute and node.config.materialized in dbt_kinds.kinds() %}
    {% set unit = dbt_kinds.options_of(node).unit %}
  {% else %}
    {% set unit = dbt_kinds.interval_unit(node.name, 'day') %}
  {% endif %}
  {% set index = dbt_kinds.unit_index(settings.execution_time, unit) %}
  {% do return([dbt_kinds.unit_start(index - 1, unit), dbt_kinds.unit_start(index, unit)]) %}
{% endmacro %}
