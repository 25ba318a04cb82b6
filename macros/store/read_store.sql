{#
  The loads and invalidations of one relation, in the order in which they were read: mappings {event, start, end, recorded_at, started_at,
  execution_time, model_hash}. The whole store is read once per run, and each run adds what it records; a relation's
  text is parsed on first use.
#}
{% macro events_of(relation) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if memory.events is none %}
    {# two threads may have read at once; either result will do #}
    {% do memory.update({'events': dbt_kinds._read_store()}) %}
  {% endif %}
  {% set events = memory.events.get(relation, []) %}
  {% if events is string or relation not in memory.events %}
    {% set events = dbt_kinds.parse_events(relation, events) if events is string else [] %}
    {% do memory.events.update({relation: events}) %}
  {% endif %}
  {% do return(memory.events[relation]) %}
{% endmacro %}


{# Relation -> one line per event: an eighth of the size of JSON, and read in half the time. #}
{% macro _read_store() %}
  {% set texts = {} %}
  {% set source = dbt_kinds.store_source() %}
  {% if source is not none %}
    {% set by_relation %}
select
  coalesce(relation, '') as relation,
  max(recorded_at) as latest,
  concat_ws(char(10), collect_list(if(event in ('{{ (dbt_kinds.write_events() + dbt_kinds.findings_events()) | join("', '") }}'), null, {{ dbt_kinds.event_line_sql() }}))) as lines,
  collect_list(if(kind in ('{{ dbt_kinds.history_kinds() | join("', '") }}') and event in ('loaded', 'invalidated'), struct({{ dbt_kinds.merge_columns() | join(', ') }}), null)) as merges,
  collect_list(if(event = 'loaded' and instr(details, '"sources"') > 0, struct(interval_start, interval_end, recorded_at, details), null)) as noted,
  max(if(event = 'pending', recorded_at, null)) >= coalesce(max(if(event in ('pending', '{{ dbt_kinds.findings_events() | join("', '") }}'), null, recorded_at)), '') as is_unsettled
from {{ source }}
where coalesce(event, '') not in ('{{ dbt_kinds.lease_events() | join("', '") }}')
group by relation
    {%- endset %}
    {% for row in dbt_kinds.query_rows(by_relation) %}
      {% do texts.update({row.relation: row.lines}) if row.lines %}
      {% do dbt_kinds.run_memory().history.update({row.relation: row.merges}) if row.merges %}
      {% do dbt_kinds.run_memory().noted.update({row.relation: row.noted}) if row.noted %}
      {% do dbt_kinds.run_memory().unsettled.append(row.relation) if row.get('is_unsettled') %}
      {% do dbt_kinds.notice_moment(row.latest) %}
    {% endfor %}
    {% if '' in texts %}
      {% do dbt_kinds.fail_unreadable('', texts[''].splitlines()[0]) %}
    {% endif %}
  {% endif %}
  {% do return(texts) %}
{% endmacro %}


{# Later events get later timestamps than those read. #}
{% macro notice_moment(moment) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if moment and moment > memory.clock and dbt_kinds.matches('[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}', moment) %}
    {% do memory.update({'clock': moment}) %}
  {% endif %}
{% endmacro %}


{# SQL: the fields that decide coverage, separated by a space, each empty if NULL. concat_ws takes a fifth longer (measured). #}
{% macro event_line_sql() %}
  {% set fields = [] %}
  {% for name in ['event', 'interval_start', 'interval_end', 'recorded_at', 'started_at', 'execution_time', 'model_hash'] %}
    {% do fields.append('coalesce(' ~ name ~ ", '')") %}
  {% endfor %}
  {% do return('concat(' ~ fields | join(", ' ', ") ~ ')') %}
{% endmacro %}
