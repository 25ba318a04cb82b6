{% macro check_adapter(model) %}
  {% if not dbt_kinds.writes_spark_sql() %}
    {% do dbt_kinds.fail(model, 'the kinds of dbt_kinds write Spark SQL, and this target is ' ~ adapter.type()
      ~ '; run it on a spark or databricks target, or set materialized to one of that adapter') %}
  {% endif %}
{% endmacro %}


{# Whether the target understands what the kinds write. #}
{% macro writes_spark_sql() %}
  {% do return(adapter.type() in ['spark', 'databricks']) %}
{% endmacro %}
