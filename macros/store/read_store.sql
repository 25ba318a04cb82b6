{#
  All events, by relation. Read once a run: dbt's graph is one dict that all nodes of an invocation share and may
  write to (measured on 1.11), and each run adds to it what it records. Where it is not shared, each model reads.
#}
{% macro read_store() %}
  {% if 'dbt_kinds_events' in graph %}
    {% do return(graph['dbt_kinds_events']) %}
  {% endif %}
  {% set events = {} %}
  {% set store = dbt_kinds.store_table() %}
  {% if adapter.check_schema_exists(store.database, store.schema) and dbt_kinds.relation_type(store) == 'table' %}
    {% do graph.update({'dbt_kinds_store_exists': true}) %}
    {% set by_relation %}
select relation, collect_list(struct(event, interval_start, interval_end, recorded_at)) as events
from {{ store }}
group by relation
    {%- endset %}
    {% for row in dbt_kinds.query_rows(by_relation) %}
      {% do events.update({row.relation: row.events}) %}
    {% endfor %}
  {% endif %}
  {# two threads may have read at once; both go on with the same dict #}
  {% do return(graph.setdefault('dbt_kinds_events', events)) %}
{% endmacro %}
