{# What a run waits for, and how many batches it loads: `{ready_until, on_missing_upstream, max_batches}`. #}
{% macro readiness_options(model, given) %}
  {% set ready_until = given.get('ready_until') %}
  {% if ready_until is not none and (ready_until is not string or not ready_until.strip()) %}
    {% do dbt_kinds.fail(model, "ready_until '" ~ ready_until ~ "' is not a query; write one that yields one value, up to which the sources are complete, as in "
      ~ 'ready_until: "select max(loaded_until) from {{ source(' ~ "'etl', 'watermarks'" ~ ') }}"') %}
  {% endif %}
  {% do return({
    'ready_until': ready_until,
    'on_missing_upstream': dbt_kinds.one_of(model, 'on_missing_upstream', given.get('on_missing_upstream', 'load'), ['load', 'wait']),
    'max_batches': dbt_kinds.whole_number(model, 'max_batches', given.max_batches, 1) if 'max_batches' in given else none,
  }) %}
{% endmacro %}
