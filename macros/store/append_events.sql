{#
  Appends events in one statement. An event is a mapping of the store's columns; the columns common to all events of a
  model are added here, and a shared recorded_at, which is returned. `commit` is a query of one row, `snapshot_id` and
  `rows_written`, which the same statement fills in for `loaded` events that lack them.
#}
{% macro append_events(options, events, commit=none) %}
  {% if not events %}
    {% do return(none) %}
  {% endif %}
  {% set known = dbt_kinds.events_of(options.relation) %}
  {% if dbt_kinds.find_store() is none %}
    {% do dbt_kinds.create_store(dbt_kinds.store_table()) %}
    {#
      Others may be creating it at this moment. Spark checks whether the table exists and then, in a separate call
      to the metastore, whether its folder is empty, and fails if a file appeared in between. So our insert comes a few statements later.
    #}
    {% do dbt_kinds.find_store(afresh=true) %}
  {% endif %}
  {% set common = {
    'relation': options.relation, 'model': options.unique_id, 'kind': options.kind, 'invocation_id': invocation_id,
    'recorded_at': dbt_kinds.next_moment(), 'source': dbt_kinds.run_memory().source,
  } %}
  {% set whole = [] %}
  {% for event in events %}
    {% do whole.append(dict(common, **event)) %}
  {% endfor %}
  {% do dbt_kinds.insert_events(whole, commit) %}
  {% for event in events if event.event in ['loaded', 'invalidated'] %}
    {% do known.append({
      'event': event.event, 'start': event.interval_start, 'end': event.interval_end, 'recorded_at': common.recorded_at,
      'started_at': event.get('started_at'), 'execution_time': event.get('execution_time'), 'model_hash': event.get('model_hash'),
    }) %}
    {% do dbt_kinds.note_coverage(options.relation, known[-1]) %}
    {% do dbt_kinds.note_source(options.relation, dict(common, **event)) if event.event == 'loaded' and options.get('late_data') is not none %}
    {% do dbt_kinds.note_merge(options.relation, dict(common, **event)) if options.traits.has_merge_timeline %}
  {% endfor %}
  {% for event in whole if dbt_kinds.is_note(event) %}
    {% do dbt_kinds.note_source(options.relation, event) %}
  {% endfor %}
  {% do dbt_kinds.renew_lease(options.relation, common.recorded_at) %}
  {% do return(common.recorded_at) %}
{% endmacro %}


{# The statement that appends whole events, mappings of the store's columns, to a store that exists. #}
{% macro insert_events(events, commit=none) %}
  {% set rows = [] %}
  {% for event in events %}
    {% do rows.append(dbt_kinds.event_values(event, commit is not none and event.event == 'loaded')) %}
  {% endfor %}
  {% call statement('append_events') %}
insert into {{ dbt_kinds.store_table() }}
{% if commit is none -%}
values
{%- for row in rows %}
  ({{ row | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
{%- else -%}
{# a union would write a file for each event #}
select stack({{ rows | length }}
{%- for row in rows %},
  {{ row | join(', ') }}
{%- endfor %}
)
from (
{{ commit }}
) as written
{%- endif %}
  {% endcall %}
{% endmacro %}


{# Marks this invocation's events as recorded by an operation, not by a run. #}
{% macro act_as(operation) %}
  {% do dbt_kinds.run_memory().update({'source': operation}) %}
{% endmacro %}


{# SQL values in column order, cast to the columns' types: spark.sql.storeAssignmentPolicy STRICT rejects an untyped NULL. No string may contain a line break or the delimiter of a Hive text table. Pure. #}
{% macro event_values(event, takes_commit=false) %}
  {% set values = [] %}
  {% for name, type in dbt_kinds.store_columns().items() %}
    {% set value = event.get(name) %}
    {% if value is none and takes_commit and name in ['snapshot_id', 'rows_written'] %}
      {% do values.append('written.' ~ name) %}
    {% elif value is none %}
      {% do values.append('cast(null as ' ~ type ~ ')') %}
    {% elif type == 'string' %}
      {% do values.append(dbt_kinds.text_literal(modules.re.sub('[\\x00-\\x1f]+', ' ', value | string))) %}
    {% else %}
      {% do values.append('cast(' ~ value ~ ' as ' ~ type ~ ')') %}
    {% endif %}
  {% endfor %}
  {% do return(values) %}
{% endmacro %}
