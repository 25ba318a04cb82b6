{#
  The option that a name was probably meant to be: the same but for case, `_` and `-`, or, if long, within two edits
  (though `event_type` is nobody's misspelt `event_time`).
#}
{% macro nearest_option(name) %}
  {% set plain = name | lower | replace('_', '') | replace('-', '') %}
  {% for option in dbt_kinds.option_kinds() %}
    {% set plain_option = option | replace('_', '') %}
    {% if plain == plain_option %}
      {% do return(option) %}
    {% elif option != 'event_time' and plain_option | length >= 8 and (plain | length - plain_option | length) | abs <= 2
        and dbt_kinds._edits_between(plain, plain_option) <= 2 %}
      {% do return(option) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# Levenshtein's distance. #}
{% macro _edits_between(left, right) %}
  {% set rows = namespace(last=range(right | length + 1) | list) %}
  {% for letter in left %}
    {% set row = [loop.index] %}
    {% for other in right %}
      {% do row.append([row[-1] + 1, rows.last[loop.index] + 1, rows.last[loop.index0] + (0 if letter == other else 1)] | min) %}
    {% endfor %}
    {% set rows.last = row %}
  {% endfor %}
  {% do return(rows.last[-1]) %}
{% endmacro %}
