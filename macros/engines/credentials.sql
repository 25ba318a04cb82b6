{# The connection settings of a profile, which `target` lacks (measured on dbt-spark 1.10 and 1.11); empty on dbt 2.0,
   which does not expose them. #}
{% macro credentials() %}
  {% do return(adapter.config.credentials if dbt_kinds.is_dbt_core() else {}) %}
{% endmacro %}


{# What the profile's server_side_parameters set a setting of Spark to; none if they do not. They are applied before
   every statement. #}
{% macro profile_setting(name) %}
  {% do return((dbt_kinds.credentials().server_side_parameters or {}).get(name)) %}
{% endmacro %}


{# Whether this is dbt-core and not dbt 2.0. #}
{% macro is_dbt_core() %}
  {% do return(adapter.config is defined) %}
{% endmacro %}
