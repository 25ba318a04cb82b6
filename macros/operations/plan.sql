{# What `dbt run` would do, model by model; nothing is written. #}
{% macro plan(select=none, full_refresh=false) %}
  {% set plans = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% set options = dbt_kinds.options(node) %}
    {% set rebuild = full_refresh if node.config.full_refresh is none else node.config.full_refresh %}
    {% set settings = dbt_kinds.run_settings(node.name, rebuild and not options.disable_restatement) %}
    {% do plans.append(dbt_kinds.plan_intervals(options, dbt_kinds.recorded_coverage(node), settings)) %}
  {% endfor %}
  {% do log(tojson({'operation': 'plan', 'plans': plans}), info=true) %}
{% endmacro %}
