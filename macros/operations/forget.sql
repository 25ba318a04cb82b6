{#
  Takes back that a range of one or more models is loaded, or all of it without a range. Their rows stay; the next run
  loads the range again.
#}
{% macro forget(select=none, start=none, end=none) %}
  {% if not select %}
    {% do exceptions.raise_compiler_error('dbt_kinds: forget needs select, the names of the models to forget something of') %}
  {% endif %}
  {% set models = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% set options = dbt_kinds.options(node) %}
    {% set coverage = dbt_kinds.coverage(options.relation) %}
    {% set forgotten = coverage if start is none and end is none
      else dbt_kinds.intersect_intervals([dbt_kinds.stated_interval(node.name, start, end)], coverage) %}
    {% do dbt_kinds.append_events(options, 'invalidated', forgotten, dbt_kinds.run_settings(node.name).execution_time) %}
    {% do models.append({
      'model': node.unique_id, 'relation': options.relation, 'forgotten': forgotten, 'recorded': dbt_kinds.recorded_coverage(node),
    }) %}
  {% endfor %}
  {% do log(tojson({'operation': 'forget', 'models': models}), info=true) %}
{% endmacro %}
