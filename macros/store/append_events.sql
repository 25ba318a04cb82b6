{#
  Appends events of a model in one statement. An event is a mapping of the store's columns; the columns common to all
  events of a model are added here, and a shared recorded_at, which is returned. Its `details` are a mapping, which is
  written as JSON here, once. `commit`, as commit_of returns it, tells the same statement where it finds the
  `snapshot_id` and `rows_written` that a `loaded` event lacks.
#}
{% macro append_events(options, events, commit=none) %}
  {% if not events %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.check_adapter('the interval store') %}
  {# read before, or these events would be in what is read, too #}
  {% do dbt_kinds.log_of(options.relation) %}
  {% if dbt_kinds.find_store() is none %}
    {% do dbt_kinds.create_store(dbt_kinds.store_table()) %}
    {#
      Others may be creating it at this moment. Spark checks whether the table exists and then, in a separate call
      to the metastore, whether its folder is empty, and fails if a file appeared in between. So our insert comes a few
      statements later.
    #}
    {% do dbt_kinds.find_store(refresh=true) %}
  {% endif %}
  {% set whole = dbt_kinds.whole_events(options, events) %}
  {% do dbt_kinds.add_events(whole, commit) %}
  {% do return(whole[0].recorded_at) %}
{% endmacro %}


{# Events of a model with the columns that all its events have, and a shared moment. #}
{% macro whole_events(options, events) %}
  {% set common = {
    'relation': options.relation, 'model': options.unique_id, 'kind': options.kind, 'invocation_id': invocation_id,
    'recorded_at': dbt_kinds.next_moment(), 'source': dbt_kinds.run_memory('source').get('source', 'run'),
  } %}
  {% set whole = [] %}
  {% for event in events %}
    {% do whole.append(dict(common, **event)) %}
    {% do whole[-1].update({'details': dbt_kinds.details_text(event.details)}) if event.get('details') is not none %}
  {% endfor %}
  {% do return(whole) %}
{% endmacro %}


{# Adds whole events, mappings of the store's columns, to a store that exists, and to what this run knows of their
   relations; with them the records that wait. Nothing else adds any. #}
{% macro add_events(events, commit=none, with_sent=false) %}
  {% set records, rows, commits = dbt_kinds.records_to_send(with_sent), [], [] %}
  {% for record in records + [{'events': events, 'commit': commit}] %}
    {% set loads = record.events | selectattr('event', 'eq', 'loaded') | list if record.commit is not none else [] %}
    {% if loads %}
      {% set lacks_rows = loads | selectattr('rows_written', 'none') | list != [] %}
      {% do commits.append(dict(record.commit, lacks_rows=lacks_rows)) %}
    {% endif %}
    {% for event in record.events %}
      {% do rows.append(dbt_kinds.event_values(event,
        'try_element_at(written, ' ~ commits | length ~ ')' if event in loads else none)) %}
    {% endfor %}
  {% endfor %}
  {% if not rows %}
    {% do return(none) %}
  {% endif %}
  {% call statement('append_events') %}
insert into {{ dbt_kinds.store_table() }}
{% if not commits -%}
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
{{ dbt_kinds.numbered_commits(commits) }}
)
{%- endif %}
  {% endcall %}
  {% for event in events %}
    {% do dbt_kinds.add_to_log(event.relation, event) %}
    {% do dbt_kinds.renew_lease(event) %}
  {% endfor %}
  {% do dbt_kinds.note_sent(records) %}
{% endmacro %}


{# An event's details as they are stored, from a mapping, or from a text as read from the store. #}
{% macro details_text(details) %}
  {% do return(details if details is string else tojson(details, sort_keys=true)) %}
{% endmacro %}


{# An event's details as a mapping, which is empty if it has none. #}
{% macro details_of(event) %}
  {% set details = event.get('details') or {} %}
  {% do return(details if details is mapping else fromjson(details) if details.startswith('{') else {}) %}
{% endmacro %}


{# Marks this invocation's events as recorded by an operation, not by a run. #}
{% macro set_event_source(operation) %}
  {% do dbt_kinds.run_memory('source').update({'source': operation}) %}
{% endmacro %}


{# SQL values in column order, cast to the columns' types: spark.sql.storeAssignmentPolicy STRICT rejects an untyped
   NULL. No string may contain a line break or the delimiter of a Hive text table. `written` is the row of the commit
   that the event takes what it lacks from. Pure. #}
{% macro event_values(event, written=none) %}
  {% set values = [] %}
  {% for name, type in dbt_kinds.store_columns().items() %}
    {% set value = event.get(name) %}
    {% if value is none and written is not none and name == 'snapshot_id' %}
      {% do values.append(written ~ '.snapshot_id') %}
    {% elif value is none and written is not none and name == 'rows_written' %}
      {% do values.append('coalesce(' ~ written ~ '.rows_written, 0)') %}
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
