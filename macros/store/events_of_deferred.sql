{#
  The events of another target's table, which a run with --defer reads, as events_of returns them: from the store beside that table, where that target's
  runs keep it, or from our own if kinds_store_schema names one for all. Empty if there is no store. Read once per run.
#}
{% macro events_of_deferred(deferred) %}
  {% set relation = dbt_kinds.relation_key(deferred.database, deferred.schema, deferred.alias) %}
  {% if dbt_kinds.store_settings().is_shared or deferred.schema == target.schema %}
    {% do return(dbt_kinds.events_of(relation)) %}
  {% endif %}
  {% set known = dbt_kinds.run_memory().deferred %}
  {% if relation not in known %}
    {% set store = api.Relation.create(database=deferred.database, schema=deferred.schema, identifier='dbt_kinds_intervals') %}
    {% set lines = dbt_kinds._lines_in(store, relation) if dbt_kinds.relation_type(store) is not none else '' %}
    {% do known.update({relation: dbt_kinds.parse_events(relation, lines) if lines else []}) %}
  {% endif %}
  {% do return(known[relation]) %}
{% endmacro %}


{% macro _lines_in(store, relation) %}
  {% set by_line %}
select concat_ws(char(10), collect_list({{ dbt_kinds.event_line_sql() }})) as lines
from {{ store }}
where relation = {{ dbt_kinds.text_literal(relation) }} and event in ('loaded', 'invalidated')
  {%- endset %}
  {% do return(dbt_kinds.query_rows(by_line)[0].lines) %}
{% endmacro %}
