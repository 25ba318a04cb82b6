{# A description of a change, for messages. #}
{% macro change_words(change) %}
  {% set path = change.path | join('.') %}
  {% set what = 'column' if change.path | length == 1 else 'field' %}
  {% if change.change == 'add' %}
    {% do return('adds ' ~ what ~ ' ' ~ path ~ ' (' ~ change.to ~ ')') %}
  {% elif change.change == 'drop' %}
    {% do return('drops ' ~ what ~ ' ' ~ path) %}
  {% endif %}
  {% do return(('widens ' if change.change == 'widen' else 'changes ') ~ path ~ ' from ' ~ change['from'] ~ ' to '
    ~ change.to) %}
{% endmacro %}
