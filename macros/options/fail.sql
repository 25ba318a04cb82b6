{% macro fail(model, message) %}
  {% do exceptions.raise_compiler_error('dbt_kinds: model ' ~ model ~ ': ' ~ message) %}
{% endmacro %}
