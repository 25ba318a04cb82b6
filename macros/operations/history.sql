{# The newest runs of some models, or of all if none are named: what each planned to load, and how it ended. #}
{% macro history(select=none, limit=100) %}
  {% set relations = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% do relations.append(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
  {% endfor %}
  {% set events = dbt_kinds.read_newest_runs(relations, dbt_kinds.whole_number('the operation history', 'limit', limit, 1)) %}
  {% do dbt_kinds.print_answer('history', {'runs': dbt_kinds.runs_in_log(events)}) %}
{% endmacro %}
