{# A condition: a value does not satisfy a comparison. `between` has two inclusive bounds. NULL never satisfies it, or
   always, as null_passes says. #}
{% macro compares_wrongly(tested, value, operator, bound, null_passes) %}
  {% if operator not in ['>=', '>', '<=', '<', '=', '!=', 'between'] %}
    {% do dbt_kinds.fail(tested, "operator '" ~ operator
      ~ "' is not a comparison; write one of >= > <= < = != between") %}
  {% endif %}
  {% set bounds = bound if operator == 'between' and bound is not string and bound is sequence else [bound] %}
  {% if operator == 'between' and bounds | length != 2 %}
    {% do dbt_kinds.fail(tested, "value '" ~ bound ~ "' is not two bounds; write value: [0, 100]") %}
  {% endif %}
  {% set values = [] %}
  {% for each in bounds %}
    {% do values.append(dbt_kinds.required_value(tested, 'value', each, '0')) %}
  {% endfor %}
  {% set wrong = 'not (' ~ value ~ ' ' ~ operator ~ ' ' ~ values | join(' and ') ~ ')' %}
  {% do return(wrong if null_passes else value ~ ' is null or ' ~ wrong) %}
{% endmacro %}
