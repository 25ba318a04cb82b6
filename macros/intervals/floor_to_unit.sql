{# The instant at which the unit that contains an instant begins. #}
{% macro floor_to_unit(instant, unit) %}
  {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index(instant, unit), unit)) %}
{% endmacro %}


{# The first boundary of a unit that is not before an instant. #}
{% macro ceil_to_unit(instant, unit) %}
  {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index_after(instant, unit), unit)) %}
{% endmacro %}


{# The number of the first unit that begins at or after an instant. #}
{% macro unit_index_after(instant, unit) %}
  {% set index = dbt_kinds.unit_index(instant, unit) %}
  {% do return(index if dbt_kinds.unit_start(index, unit) == instant else index + 1) %}
{% endmacro %}
