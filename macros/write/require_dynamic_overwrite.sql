{#
  Switches the session to dynamic overwrite and checks that it did. Static overwrite would empty the whole table, and
  server_side_parameters of a profile, applied again before every statement, can undo a SET (measured).
#}
{% macro require_dynamic_overwrite(model) %}
  {% set setting = 'spark.sql.sources.partitionOverwriteMode' %}
  {% call statement('set_dynamic_overwrite') %}set {{ setting }} = dynamic{% endcall %}
  {% set mode = run_query('set ' ~ setting).rows[0][1] %}
  {% if mode | lower != 'dynamic' %}
    {% do dbt_kinds.fail(model, setting ~ " is '" ~ mode ~ "' even after setting it to dynamic, and overwriting would empty the table; remove it from "
      ~ 'server_side_parameters in profiles.yml, or set it to dynamic there') %}
  {% endif %}
{% endmacro %}
