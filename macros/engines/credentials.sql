{# What a profile says of its connection, which `target` lacks (measured on dbt-spark 1.10 and 1.11); nothing on dbt 2.0, which does not tell. #}
{% macro credentials() %}
  {% do return(adapter.config.credentials if adapter.config is defined else {}) %}
{% endmacro %}
