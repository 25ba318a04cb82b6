{% macro whole_number(model, name, value, least) %}
  {% if not dbt_kinds.matches('\d+', value | string) or value | int < least %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is not a whole number of " ~ least ~ ' or more') %}
  {% endif %}
  {% do return(value | int) %}
{% endmacro %}


{% macro true_or_false(model, name, value) %}
  {% if value | string | lower not in ['true', 'false'] %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is neither true nor false") %}
  {% endif %}
  {% do return(value | string | lower == 'true') %}
{% endmacro %}


{% macro one_of(model, name, value, allowed) %}
  {% if value | string | lower not in allowed %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is not one of " ~ allowed | join(', ')) %}
  {% endif %}
  {% do return(value | string | lower) %}
{% endmacro %}
