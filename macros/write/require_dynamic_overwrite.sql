{#
  Switches the session to dynamic overwrite, once per model: static overwrite would empty the whole table. The profile's
  server_side_parameters are applied again before every statement and can undo a SET (measured), so if they contain the
  setting, it must be dynamic.
#}
{% macro require_dynamic_overwrite(node) %}
  {% set setting, switched = 'spark.sql.sources.partitionOverwriteMode', dbt_kinds.run_memory('dynamic_overwrite') %}
  {% set profile = dbt_kinds.profile_setting(setting) %}
  {% if profile is not none and profile | lower != 'dynamic' %}
    {% do dbt_kinds.fail(node.name,
      setting ~ " is '" ~ profile
        ~ "' in server_side_parameters of profiles.yml, and overwriting would empty the table; remove it there, "
        ~ 'or set it to dynamic') %}
  {% elif profile is none and node.unique_id not in switched %}
    {% set mode = run_query('set ' ~ setting ~ ' = dynamic').rows[0][1] %}
    {% if mode | lower != 'dynamic' %}
      {% do dbt_kinds.fail(node.name,
        setting ~ " is '" ~ mode ~ "' even after setting it to dynamic, and overwriting would empty the table") %}
    {% endif %}
    {% do switched.update({node.unique_id: true}) %}
  {% endif %}
{% endmacro %}
