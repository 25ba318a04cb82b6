{#
  The newest runs of some models, or of all if none are named: what each planned to load, and how it ended. With `day`
  only those that loaded that day or took it back.
#}
{% macro history(select=none, limit=100, day=none) %}
  {% set relations = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% do relations.append(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
  {% endfor %}
  {% set limit = dbt_kinds.whole_number('the operation history', 'limit', limit, 1) %}
  {% set events = dbt_kinds.read_newest_runs(relations, limit, none if day is none else dbt_kinds._day(day)) %}
  {% do dbt_kinds.print_answer('history', {'runs': dbt_kinds.runs_in_log(events)}) %}
{% endmacro %}


{# A day, in UTC, as [start, end]. #}
{% macro _day(written) %}
  {% set instant = dbt_kinds.parse_instant('the operation history', 'day', written) %}
  {% if not instant.endswith('T00:00:00') %}
    {% do dbt_kinds.fail('the operation history', "day '" ~ written ~ "' is not a day, as in 2024-01-31") %}
  {% endif %}
  {% do return([instant, (modules.datetime.datetime.fromisoformat(instant)
    + modules.datetime.timedelta(days=1)).isoformat()]) %}
{% endmacro %}
