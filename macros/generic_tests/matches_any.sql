{# A condition: the column matches at least one of the patterns, by `rlike` or by `like`. #}
{% macro matches_any(tested, operator, column, patterns, example) %}
  {% set matches = [] %}
  {% for pattern in dbt_kinds.tested_texts(tested, 'patterns', patterns, example) %}
    {% do matches.append(column ~ ' ' ~ operator ~ ' ' ~ dbt_kinds.text_literal(pattern)) %}
  {% endfor %}
  {% do return(matches | join(' or ')) %}
{% endmacro %}
