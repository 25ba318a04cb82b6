{# Whether this run rebuilds the model: dbt's flag and its full_refresh config, unless the model is protected. #}
{% macro full_refresh_of(options) %}
  {% if options.traits.blocks_full_refresh and should_full_refresh() %}
    {% do dbt_kinds.warn(options.model, '--full-refresh is ignored, because disable_restatement is true') %}
    {% do return(false) %}
  {% endif %}
  {% do return(should_full_refresh()) %}
{% endmacro %}


{# A model's text in dbt's status column, with a remark if it was asked to be rebuilt and was not. #}
{% macro with_ignored_refresh(options, status) %}
  {% do return(status ~ (', --full-refresh ignored' if options.traits.blocks_full_refresh and should_full_refresh()
    else '')) %}
{% endmacro %}
