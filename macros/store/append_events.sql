{#
  Appends events of one relation in one statement: `loaded` or `invalidated`, an interval each. `facts` are the
  columns that only a load has: model_hash, rows_written, seconds, snapshot_id.
#}
{% macro append_events(options, event, intervals, execution_time, facts={}) %}
  {% if not intervals %}
    {% do return(none) %}
  {% endif %}
  {% set known = dbt_kinds.read_store().setdefault(options.relation, []) %}
  {% set recorded_at = dbt_kinds._moment_after(known) %}
  {% set rows = [] %}
  {% for start, end in intervals %}
    {% do rows.append({'event': event, 'interval_start': start, 'interval_end': end, 'recorded_at': recorded_at}) %}
  {% endfor %}
  {% if not graph.get('dbt_kinds_store_exists') %}
    {% do dbt_kinds.create_store() %}
    {% do graph.update({'dbt_kinds_store_exists': true}) %}
  {% endif %}
  {% call statement('append_events') %}
insert into {{ dbt_kinds.store_table() }} values
{%- for row in rows %}
  ('{{ event }}', {{ dbt_kinds.text_literal(options.relation) }}, '{{ row.interval_start }}', '{{ row.interval_end }}', '{{ recorded_at }}', '{{ execution_time }}', '{{ invocation_id }}', {{ dbt_kinds.text_literal(options.unique_id) }}, '{{ options.kind }}', {{ dbt_kinds.text_literal(facts.get('model_hash')) }}, {{ facts.get('rows_written', 'null') }}, {{ facts.get('seconds', 'null') }}, {{ facts.get('snapshot_id', 'null') }}){{ ',' if not loop.last }}
{%- endfor %}
  {% endcall %}
  {% do known.extend(rows) %}
{% endmacro %}


{# Now by this machine's clock, but later than every event that was read: clocks of two machines differ. #}
{% macro _moment_after(events) %}
  {% set now = modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%dT%H:%M:%S.%f') %}
  {% set last = events | map(attribute='recorded_at') | max | default('', true) %}
  {% if now > last %}
    {% do return(now) %}
  {% endif %}
  {% set next = modules.datetime.datetime.fromisoformat(last) + modules.datetime.timedelta(microseconds=1) %}
  {% do return(next.strftime('%Y-%m-%dT%H:%M:%S.%f')) %}
{% endmacro %}
