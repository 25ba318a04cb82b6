{# The SQL expressions over the query that a kind finds or orders rows by: described with the query, so that Spark refuses early what it does not know. Pure. #}
{% macro described_expressions(options) %}
  {% if options.kind == 'incremental_by_unique_key' %}
    {% do return(options.unique_key + options.order_by) %}
  {% endif %}
  {% do return(options.unique_key if dbt_kinds.keeps_history(options) else []) %}
{% endmacro %}
