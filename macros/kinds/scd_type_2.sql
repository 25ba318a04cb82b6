{% materialization scd_type_2, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{# Another name of scd_type_2_by_time. #}
{% macro kind_scd_type_2(options) %}
  {% do return(dbt_kinds.kind_scd_type_2_by_time(options)) %}
{% endmacro %}
