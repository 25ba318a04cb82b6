{# Whether this run rebuilds the model: dbt's flag and its full_refresh config, unless the model is protected. #}
{% macro full_refresh_of(options) %}
  {% if should_full_refresh() and dbt_kinds.bars_full_refresh(options) %}
    {% do dbt_kinds.warn(options.model, '--full-refresh is ignored, because disable_restatement is true') %}
    {% do return(false) %}
  {% endif %}
  {% do return(should_full_refresh()) %}
{% endmacro %}
