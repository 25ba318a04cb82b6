{# Refuses tables that Spark will not write to before the run claims them. What a server itself is set to is the
   doctor's to find: asking costs a statement a model. #}
{% macro check_store_assignment(options) %}
  {% set setting = 'spark.sql.storeAssignmentPolicy' %}
  {% if (dbt_kinds.profile_setting(setting) or '') | upper == 'LEGACY'
      and dbt_kinds.supports_snapshots(options.file_format) %}
    {% do dbt_kinds.fail(options.model,
      setting ~ ' is LEGACY in server_side_parameters of profiles.yml, and Spark writes to no ' ~ options.file_format
      ~ ' table under it; remove it there, or set it to ANSI') %}
  {% endif %}
{% endmacro %}
