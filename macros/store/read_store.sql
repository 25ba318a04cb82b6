{#
  The loads and invalidations of one relation, in the order in which they were read: mappings {event, start, end, recorded_at, started_at,
  execution_time, model_hash}. The store is read once per run, for the relations that the run asks about; if it asks about another one after all,
  the rest is read, too. Each run adds what it records; a relation's text is parsed on first use.
#}
{% macro events_of(relation) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if relation not in (memory.events or {}) and relation == dbt_kinds.store_key() %}
    {# a lease on the whole store has no loads #}
    {% do return([]) %}
  {% endif %}
  {% if memory.events is none %}
    {% set asked = dbt_kinds._relations_of_run() %}
    {% do dbt_kinds._keep(dbt_kinds._read_store(asked), asked) %}
  {% endif %}
  {% if memory.asked is not none and relation not in memory.asked and relation not in memory.events %}
    {% do dbt_kinds._keep(dbt_kinds._read_store(memory.asked, others=true), none) %}
  {% endif %}
  {% set events = memory.events.get(relation, []) %}
  {% if events is string or relation not in memory.events %}
    {% set events = dbt_kinds.parse_events(relation, events) if events is string else [] %}
    {% do memory.events.update({relation: events}) %}
  {% endif %}
  {% do return(memory.events[relation]) %}
{% endmacro %}


{#
  The relations that the run's models and everything upstream of them have, in a mapping; none, which means all of the store's, if there are more than 200: then a list
  of names spares nothing. Operations have no selection, and read everything.
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


{# Adds what was read to run_memory. Two threads may have read at once: what is there stays, since the run may have added to it. #}
{% macro _keep(rows, asked) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% set known, lines = memory.events or {}, {} %}
  {% for row in rows if row.relation not in known %}
    {% do memory.history.setdefault(row.relation, row.merges) if row.merges %}
    {% do memory.noted.setdefault(row.relation, row.noted) if row.noted %}
    {% do memory.told.setdefault(row.relation, row.told) if row.told %}
    {% do memory.unsettled.append(row.relation) if row.is_unsettled %}
    {% do lines.update({row.relation: row.lines or []}) %}
  {% endfor %}
  {% if memory.events is none %}
    {% do memory.update({'events': lines, 'asked': asked}) %}
  {% else %}
    {% for relation in lines %}
      {% do memory.events.setdefault(relation, lines[relation]) %}
    {% endfor %}
    {% do memory.update({'asked': asked}) %}
  {% endif %}
{% endmacro %}


{# For each relation: one line per event, an eighth of the size of JSON and read in half the time; and what only some kinds need. #}
{% macro _read_store(asked, others=false) %}
  {% set source = dbt_kinds.store_source() %}
  {% if source is none %}
    {% do return([]) %}
  {% endif %}
  {% set by_relation %}
select
  coalesce(relation, '') as relation,
  max(recorded_at) as latest,
  concat_ws(char(10), collect_list(if(event in ('{{ (dbt_kinds.write_events() + dbt_kinds.findings_events()) | join("', '") }}'), null, {{ dbt_kinds.event_line_sql() }}))) as lines,
  collect_list(if(kind in ('{{ dbt_kinds.timeline_kinds() | join("', '") }}') and event in ('loaded', 'invalidated'), struct({{ dbt_kinds.merge_columns() | join(', ') }}), null)) as merges,
  collect_list(if({{ dbt_kinds.is_note_sql() }} or (event = 'loaded' and instr(details, '"sources"') > 0), struct({{ dbt_kinds.note_columns() | join(', ') }}), null)) as noted,
  collect_set(if(event = 'loaded' and instr(details, '"told"') > 0, get_json_object(details, '$.told'), null)) as told,
  max(if(event = 'pending', recorded_at, null)) >= coalesce(max(if(event in ('pending', '{{ dbt_kinds.findings_events() | join("', '") }}'), null, recorded_at)), '') as is_unsettled
from {{ source }}
where coalesce(event, '') not in ('{{ dbt_kinds.lease_events() | join("', '") }}')
  {%- if asked is not none %} and {{ 'not ' if others }}{{ dbt_kinds.is_one_of("coalesce(relation, '')", asked | list + ([] if others else [''])) }}{% endif %}
group by relation
  {%- endset %}
  {% set rows = [] %}
  {% set found = dbt_kinds.query_rows(by_relation, by='relation') %}
  {% do dbt_kinds.notice_moments(found | map(attribute='latest')) %}
  {% for row in found %}
    {% do dbt_kinds.fail_unreadable('', row.lines.splitlines()[0]) if row.relation == '' and row.lines %}
    {% do rows.append({
      'relation': row.relation, 'lines': row.lines, 'merges': row.merges, 'noted': row.noted, 'told': row.told, 'is_unsettled': row.get('is_unsettled'),
    }) %}
  {% endfor %}
  {% do return(rows) %}
{% endmacro %}


{# Notices the newest moment of the whole store, without reading its events. #}
{% macro notice_newest() %}
  {% set newest = 'select max(recorded_at) as newest from ' ~ dbt_kinds.store_source() ~ " where recorded_at rlike '^" ~ dbt_kinds.moment_pattern() ~ "$'" %}
  {% do dbt_kinds.notice_moment(dbt_kinds.query_rows(newest)[0].get('newest')) %}
{% endmacro %}


{# Notices the newest of some moments. What cannot be read as one, and sorts behind it, is passed over. #}
{% macro notice_moments(moments) %}
  {% for moment in moments | select | sort | reverse %}
    {% do dbt_kinds.notice_moment(moment) %}
    {% if dbt_kinds.run_memory().clock >= moment %}{% break %}{% endif %}
  {% endfor %}
{% endmacro %}


{# Later events get later timestamps than those read. #}
{% macro notice_moment(moment) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if moment and moment > memory.clock and dbt_kinds.matches(dbt_kinds.moment_pattern(), moment) %}
    {% do memory.update({'clock': moment}) %}
  {% endif %}
{% endmacro %}


{#
  SQL: the fields that decide coverage, separated by a space, each empty if NULL; the event of a load that an operation adopted is `adopted`. concat_ws takes a
  fifth longer (measured).
#}
{% macro event_line_sql() %}
  {% set fields = ["if(event = 'loaded' and source = 'adopt', 'adopted', coalesce(event, ''))"] %}
  {% for name in ['interval_start', 'interval_end', 'recorded_at', 'started_at', 'execution_time', 'model_hash'] %}
    {% do fields.append('coalesce(' ~ name ~ ", '')") %}
  {% endfor %}
  {% do return('concat(' ~ fields | join(", ' ', ") ~ ')') %}
{% endmacro %}
