{# How the messages of a test begin, behind `model`: dbt's node of a test names the model or source in the call it makes. #}
{% macro tested_model(test) %}
  {% set reference = model.test_metadata.kwargs.model if model.test_metadata else '' %}
  {% set names = modules.re.findall("'([^']+)'", reference) %}
  {% do return((names | join('.') or model.name) ~ ': test ' ~ test) %}
{% endmacro %}
