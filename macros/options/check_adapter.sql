{% macro check_adapter(model) %}
  {% if adapter.type() not in ['spark', 'databricks'] %}
    {% do dbt_kinds.fail(model, 'the kinds of dbt_kinds write Spark SQL, and this target is ' ~ adapter.type()
      ~ '; run it on a spark or databricks target, or set materialized to one of that adapter') %}
  {% endif %}
{% endmacro %}
