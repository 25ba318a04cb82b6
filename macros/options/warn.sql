{#
  Warns of something about a model, and counts it: dbt's summary does not count the warnings of macros (`WARN=0`), so
  that the run ends with a line of ours.
  With --warn-error it fails the model instead, which is not counted.
#}
{% macro warn(model, words) %}
  {% do exceptions.warn('dbt_kinds: model ' ~ model ~ ': ' ~ words) %}
  {% do dbt_kinds.run_memory('warned').setdefault('models', []).append(model) %}
{% endmacro %}


{# Logs how many warnings a run gave, by model: `dbt_kinds: 3 warnings: orders 2, payments 1`. Nothing if there were
   none. #}
{% macro log_number_of_warnings() %}
  {% set warned = dbt_kinds.run_memory('warned').get('models') %}
  {% if warned %}
    {% set counts = [] %}
    {% for model in warned | unique | sort %}
      {% do counts.append(model ~ ' ' ~ dbt_kinds.thousands(warned | select('eq', model) | list | length)) %}
    {% endfor %}
    {% do log('dbt_kinds: ' ~ dbt_kinds.counted(warned | length, 'warning', 'warnings') ~ ': ' ~ counts | join(', '),
      info=true) %}
  {% endif %}
{% endmacro %}
