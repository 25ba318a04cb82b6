{# The prefix of a test's messages, after `model`. The model or source is named in the call that dbt puts into the
   test's node. #}
{% macro tested_model(test) %}
  {% set reference = model.test_metadata.kwargs.model if model.test_metadata else '' %}
  {% set names = modules.re.findall("'([^']+)'", reference) %}
  {% do return((names | join('.') or model.name) ~ ': test ' ~ test) %}
{% endmacro %}
