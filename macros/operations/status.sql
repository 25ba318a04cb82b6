{# What every model's table holds and lacks as of the execution time. #}
{% macro status(select=none) %}
  {% set models = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% set options = dbt_kinds.options(node) %}
    {% set recorded = dbt_kinds.recorded_coverage(node) %}
    {% set entry = {
      'model': node.unique_id, 'relation': options.relation, 'kind': options.kind, 'unit': options.unit.name,
      'start': none, 'end': none, 'recorded': recorded, 'missing': none, 'reason': 'no start is set and nothing is recorded',
    } %}
    {% if recorded or options.start is not none %}
      {% set settings = dict(dbt_kinds.run_settings(node.name), start=none, end=none) %}
      {% set plan = dbt_kinds.plan_intervals(options, recorded, settings) %}
      {% do entry.update({'start': plan.start, 'end': plan.end, 'missing': plan.missing, 'reason': plan.reason}) %}
    {% endif %}
    {% do models.append(entry) %}
  {% endfor %}
  {% do log(tojson({'operation': 'status', 'models': models}), info=true) %}
{% endmacro %}
