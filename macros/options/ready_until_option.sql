{# The query that says up to when the sources are complete, as written. #}
{% macro ready_until_option(model, written) %}
  {% if written is not none and (written is not string or not written.strip()) %}
    {% do dbt_kinds.fail(model, "ready_until '" ~ written
      ~ "' is not a query; write one that yields one value, up to which the sources are complete, as in "
      ~ 'ready_until: "select max(loaded_until) from {{ source(' ~ "'etl', 'watermarks'" ~ ') }}"') %}
  {% endif %}
  {% do return(written) %}
{% endmacro %}
