{#
  What a run knows of a relation's events, as new_log makes it. A row is a mapping of the store's columns, read or added
  by this run; what is NULL is absent or ''. The first read leaves out the events of leases and audits, and of most
  loads the columns that nothing asks for.

  The store is read once per run, for the relations that the run asks about; if it asks about another one after all, the
  rest is read, too. A relation's text is parsed on first use. Two threads may ask at once: the first log stays.
#}
{% macro log_of(relation) %}
  {% set logs = dbt_kinds.run_memory('logs') %}
  {% if relation not in logs %}
    {% set texts = dbt_kinds.run_memory('texts') %}
    {# a lease on the whole store has no loads #}
    {% do dbt_kinds._read_texts(texts, relation) if relation not in texts and relation != dbt_kinds.store_key() %}
    {% set text = texts.get(relation) %}
    {% do logs.setdefault(relation, dbt_kinds.new_log(dbt_kinds._rows_of(text) if text else [])) %}
  {% endif %}
  {% do return(logs[relation]) %}
{% endmacro %}


{#
  A log of some rows: `{rows, views, coverage}`. `views` has what was computed from the rows; another mapping takes its
  place when a row is added, so that a thread that still computes from the older rows writes into the old one.
  `coverage` is what macro coverage has replayed so far.
#}
{% macro new_log(rows) %}
  {% do return({'rows': rows, 'views': {}, 'coverage': none}) %}
{% endmacro %}


{# The rows of what read_store found of a relation. Pure. #}
{% macro _rows_of(text) %}
  {% set rows = dbt_kinds.parse_events(text.relation, text.lines) if text.lines else [] %}
  {% set loads = rows | selectattr('event', 'eq', 'loaded') | sort(attribute='interval_start') | list
    | sort(attribute='recorded_at') | list %}
  {% do loads[-1].setdefault('details', text.newest_details) if loads and text.newest_details is not none %}
  {% do return(rows + text.rows) %}
{% endmacro %}


{# Adds an event to what the run knows of a relation. One that was never read is in the store when it is. #}
{% macro add_to_log(relation, event) %}
  {% if relation in dbt_kinds.run_memory('logs') or relation in dbt_kinds.run_memory('texts') %}
    {% set log = dbt_kinds.log_of(relation) %}
    {% do log.rows.append(event) %}
    {% do log.update({'views': {}}) %}
  {% endif %}
{% endmacro %}


{# Puts a relation's events, as others recorded them meanwhile, in place of those that this run knew. #}
{% macro replace_log(relation, rows) %}
  {# first all that the run knows, so that a later read does not put old events in place of these #}
  {% do dbt_kinds.log_of(relation).update(dbt_kinds.new_log(rows)) %}
{% endmacro %}


{#
  The end of the latest interval that the events of a relation ever recorded, none if there is none, or if the run has
  not read them; `'unreadable'` if some cannot be read. Reads no more of them than that.
#}
{% macro latest_end(relation) %}
  {% set log = dbt_kinds.run_memory('logs').get(relation) %}
  {% set text = {} if log else dbt_kinds.run_memory('texts').get(relation, {}) %}
  {% set ends = dbt_kinds.ends_in_lines(text.get('lines') or '') %}
  {% if ends is none %}
    {% do return('unreadable') %}
  {% endif %}
  {% for row in (log or text).get('rows', []) if row.event == 'loaded' %}
    {% do ends.append(row.interval_end) %}
  {% endfor %}
  {% do return(ends | max if ends else none) %}
{% endmacro %}


{# Whether this run has recorded an event of a relation. Asks no store. #}
{% macro has_recorded(relation, event) %}
  {% set log = dbt_kinds.run_memory('logs').get(relation, {}) %}
  {% do return(log.get('rows', []) | selectattr('event', 'eq', event) | selectattr('invocation_id', 'eq', invocation_id)
    | list != []) %}
{% endmacro %}


{#
  The name under which log_of has the events of another target's table, which a run with --defer reads: from the store
  beside that table, where that target's runs keep it, or from our own if kinds_store_schema names one for all.
#}
{% macro log_of_deferred(deferred) %}
  {% set relation = dbt_kinds.relation_key(deferred.database, deferred.schema, deferred.alias) %}
  {% if dbt_kinds.store_settings().is_shared or deferred.schema == target.schema %}
    {% do return(relation) %}
  {% endif %}
  {% set known, name = dbt_kinds.run_memory('logs'), 'deferred ' ~ relation %}
  {% if name not in known %}
    {% set store = api.Relation.create(database=deferred.database, schema=deferred.schema,
      identifier='dbt_kinds_intervals') %}
    {% set lines = dbt_kinds.lines_in(store, relation) if dbt_kinds.relation_type(store) is not none else '' %}
    {% do known.update({name: dbt_kinds.new_log(dbt_kinds.parse_events(relation, lines))}) %}
  {% endif %}
  {% do return(name) %}
{% endmacro %}


{# Reads what a run needs that asks about a relation. What another thread has read meanwhile stays. #}
{% macro _read_texts(texts, relation) %}
  {% set read = dbt_kinds.run_memory('relations_read') %}
  {% if not read %}
    {% set asked = dbt_kinds._relations_of_run() %}
    {% do dbt_kinds._keep(texts, dbt_kinds.read_store(asked)) %}
    {% do read.update({'relations': asked}) %}
  {% endif %}
  {% set asked = read.relations %}
  {% if asked is not none and relation not in asked %}
    {% do dbt_kinds._keep(texts, dbt_kinds.read_store(asked, others=true)) %}
    {% do read.update({'relations': none}) %}
  {% endif %}
{% endmacro %}


{% macro _keep(texts, found) %}
  {% for one in found %}{% do texts.setdefault(one.relation, one) %}{% endfor %}
{% endmacro %}


{#
  The relations that the run's models and everything upstream of them have, in a mapping; none, which means all of the
  store's, if there are more than 200: then a list of names spares nothing. Operations have no selection, and read
  everything.
#}
{% macro _relations_of_run() %}
  {# in a process that has run models before, an operation finds the selection of the last run #}
  {% set selected = [] if invocation_args_dict.get('which') == 'run-operation' else selected_resources %}
  {% set state = namespace(next=selected | list, nodes={}) %}
  {% for level in range(100) if state.next and state.nodes | length <= 200 %}
    {% set found = [] %}
    {% for unique_id in state.next if unique_id in graph.nodes and unique_id not in state.nodes %}
      {% do state.nodes.update({unique_id: graph.nodes[unique_id]}) %}
      {# seeds depend on no nodes #}
      {% do found.extend((graph.nodes[unique_id].get('depends_on') or {}).get('nodes') or []) %}
    {% endfor %}
    {% set state.next = found %}
  {% endfor %}
  {% set relations = {} %}
  {% for node in state.nodes.values() if node.resource_type in ['model', 'seed', 'snapshot'] %}
    {% do relations.update({dbt_kinds.relation_key(node.database, node.schema, node.alias): true}) %}
  {% endfor %}
  {% do return(relations if relations and state.nodes | length <= 200 else none) %}
{% endmacro %}
