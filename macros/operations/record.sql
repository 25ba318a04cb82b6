{# States that a model's table holds a range, for tables that were filled by other means. #}
{% macro record(select=none, start=none, end=none, execution_time=none) %}
  {% set node = dbt_kinds.the_selected_model(select) %}
  {% set options = dbt_kinds.options(node) %}
  {% set interval = dbt_kinds.stated_interval(node.name, start, end) %}
  {% set at = dbt_kinds.parse_instant(node.name, 'execution_time', execution_time) if execution_time is not none
    else dbt_kinds.run_settings(node.name).execution_time %}
  {% do dbt_kinds.append_events(options, 'loaded', [interval], at) %}
  {% do log(tojson({
    'operation': 'record', 'model': node.unique_id, 'relation': options.relation, 'recorded': dbt_kinds.recorded_coverage(node),
  }), info=true) %}
{% endmacro %}
