{#
  Records which models of a run failed without a record of it: mostly refused before they claimed their table. One
  append for all of them, and none if nothing failed so, or if there is no store yet. What is wrong with the store
  itself is not recorded in it.
#}
{% macro record_refusals(results) %}
  {% set events = dbt_kinds.refusals_in(results) if execute and dbt_kinds.writes_spark_sql() else [] %}
  {% do dbt_kinds.add_events(events) if events and dbt_kinds.find_store() is not none %}
{% endmacro %}


{#
  The event of each such model. It goes by `failed`, which is no claim and no load to any version of this package, and
  is dropped by an older one's compaction; an older one cannot read a row of an event that it does not know. The source
  tells it from the failure of a run that had claimed the table.
#}
{% macro refusals_in(results) %}
  {% set events = [] %}
  {% for result in results if result.status == 'error' and result.node.unique_id in graph.nodes %}
    {% set node = graph.nodes[result.node.unique_id] %}
    {% set relation = dbt_kinds.relation_key(node.database, node.schema, node.alias) %}
    {% set words = dbt_kinds.refusal_words(result.message) %}
    {% if node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds()
        and not dbt_kinds.has_recorded(relation, 'failed') and not words.startswith('the interval store') %}
      {% do events.append({
        'event': 'failed', 'relation': relation, 'model': node.unique_id, 'kind': node.config.materialized,
        'invocation_id': invocation_id,
        'recorded_at': dbt_kinds.next_moment(), 'source': 'refused', 'message': words,
      }) %}
    {% endif %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}


{# What an error says, without the model that it names and the macros that it passed through. Pure. #}
{% macro refusal_words(message) %}
  {% set ours = modules.re.findall('dbt_kinds: (?:model [^\\s:]+: )?([^\\n]*)', (message or '') | string) %}
  {% do return(dbt_kinds.short_message(ours[0] if ours else message)) %}
{% endmacro %}


{# The events in a log which say that a model failed before it claimed its table. Pure. #}
{% macro refusals_among(rows) %}
  {% do return(rows | selectattr('event', 'eq', 'failed') | selectattr('source', 'eq', 'refused') | list) %}
{% endmacro %}


{# The same in SQL. Pure. #}
{% macro is_refusal_sql() %}
  {% do return("(event = 'failed' and source = 'refused')") %}
{% endmacro %}


{#
  The newest refusal among the old events of one relation, in a list, which a compaction keeps; empty if a later run
  loaded something: then it says nothing of the last run any more.
  The moment of a compacted load is that of a compaction. Pure.
#}
{% macro last_refusal(rows) %}
  {% set last = dbt_kinds.latest_load(dbt_kinds.refusals_among(rows)) %}
  {% for row in rows if last is none
      or (row.event == 'loaded' and row.get('source') != 'compact_store' and row.recorded_at > last.recorded_at) %}
    {% do return([]) %}
  {% endfor %}
  {% do return([last] if last is not none else []) %}
{% endmacro %}
