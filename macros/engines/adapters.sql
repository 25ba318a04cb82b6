{# The default file format of tables: what the engine writes best. #}
{% macro native_format() %}
  {% do return(adapter.dispatch('native_format', 'dbt_kinds')()) %}
{% endmacro %}


{% macro default__native_format() %}
  {% do return('parquet') %}
{% endmacro %}


{% macro databricks__native_format() %}
  {% do return('delta') %}
{% endmacro %}


{# The database of a node, as used in statements and in the store: dbt-spark uses none, whatever the graph says. #}
{% macro named_database(database) %}
  {% do return(adapter.dispatch('named_database', 'dbt_kinds')(database)) %}
{% endmacro %}


{% macro default__named_database(database) %}
  {% do return(none) %}
{% endmacro %}


{% macro databricks__named_database(database) %}
  {% do return(database) %}
{% endmacro %}
