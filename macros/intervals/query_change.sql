{# on_query_change: error stops a run if the last load came from a different query. #}
{% macro check_query_change(options, loads, settings, model_hash) %}
  {% if options.on_query_change == 'error' and model_hash is not none and loads and not settings.full_refresh %}
    {% set latest = dbt_kinds.latest_load(loads) %}
    {% if (latest.model_hash or none) not in [none, model_hash] %}
      {% do dbt_kinds.fail(options.model,
        'the query has changed since the last load; run with --full-refresh, or set on_query_change to '
        ~ 'forward or rebuild') %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# Whether the query is needed but unknown: an operation has no compiled code. #}
{% macro query_not_compared(options, recorded, settings, model_hash) %}
  {% do return(options.on_query_change != 'forward' and model_hash is none and recorded != []
    and not settings.full_refresh) %}
{% endmacro %}
