{# Ends the run of a model, of whose name every word of ours says what it is about; `model` may also be a part of the package, such as `the interval store`. #}
{% macro fail(model, message) %}
  {% do exceptions.raise_compiler_error('dbt_kinds: ' ~ ('' if ' ' in model else 'model ') ~ model ~ ': ' ~ message) %}
{% endmacro %}
