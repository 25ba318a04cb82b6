{# Ends the run of a model; `model` may also be a part of the package, such as `the interval store`. #}
{% macro fail(model, message) %}
  {% do exceptions.raise_compiler_error('dbt_kinds: ' ~ ('' if model.startswith('the ') else 'model ') ~ model ~ ': '
    ~ message) %}
{% endmacro %}
