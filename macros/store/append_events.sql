{#
  Appends events in one statement. An event is a mapping of the store's columns; what every event of a model carries is added
  here, and recorded_at, one for all of them, which is returned.
#}
{% macro append_events(options, events) %}
  {% if not events %}
    {% do return(none) %}
  {% endif %}
  {% set store = dbt_kinds.store_table() %}
  {% set known = dbt_kinds.events_of(options.relation) %}
  {% if dbt_kinds.find_store() is none %}
    {% do dbt_kinds.create_store(store) %}
    {#
      Others may be creating it at this moment. Spark looks whether there is such a table, and then, as a statement of its
      own to the metastore, whether its folder is empty: a file that came in between is an error there. So ours comes a few statements later.
    #}
    {% do dbt_kinds.find_store(afresh=true) %}
  {% endif %}
  {% set common = {
    'relation': options.relation, 'model': options.unique_id, 'kind': options.kind, 'invocation_id': invocation_id,
    'recorded_at': dbt_kinds.next_moment(), 'source': dbt_kinds.run_memory().source,
  } %}
  {% call statement('append_events') %}
insert into {{ store }} values
{%- for event in events %}
  ({{ dbt_kinds._event_values(dict(common, **event)) | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
  {% endcall %}
  {% for event in events if event.event in ['loaded', 'invalidated'] %}
    {% do known.append({
      'event': event.event, 'start': event.interval_start, 'end': event.interval_end, 'recorded_at': common.recorded_at,
      'started_at': event.get('started_at'), 'execution_time': event.get('execution_time'), 'model_hash': event.get('model_hash'),
    }) %}
    {% do dbt_kinds.note_history(options.relation, dict(common, **event)) %}
  {% endfor %}
  {% do dbt_kinds.renew_lease(options.relation, common.recorded_at) %}
  {% do return(common.recorded_at) %}
{% endmacro %}


{# What this invocation appends is from an operation, not from a run. #}
{% macro act_as(operation) %}
  {% do dbt_kinds.run_memory().update({'source': operation}) %}
{% endmacro %}


{# Literals in the order of the columns. No text may hold a line break or the delimiter of a Hive text table. #}
{% macro _event_values(event) %}
  {% set literals = [] %}
  {% for name, type in dbt_kinds.store_columns().items() %}
    {% set value = event.get(name) %}
    {% if value is none %}
      {% do literals.append('null') %}
    {% elif type == 'string' %}
      {% do literals.append(dbt_kinds.text_literal(modules.re.sub('[\\x00-\\x1f]+', ' ', value | string))) %}
    {% else %}
      {% do literals.append(value | string) %}
    {% endif %}
  {% endfor %}
  {% do return(literals) %}
{% endmacro %}
