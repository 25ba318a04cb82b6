{#
  The events of some relations, of all if `asked` is none, or with `others` of all but these:
  `{relation, lines, rows, newest_details}` for each. A line is what parse_events takes, an eighth of the size of JSON
  and read in half the time. `rows` are notes, and the newest of the events of announced writes, which decides whether
  one is open;
  `newest_details` those of the newest load, if they have versions.
#}
{% macro read_store(asked, others=false) %}
  {% set source = dbt_kinds.store_source() %}
  {% if source is none %}
    {% do return([]) %}
  {% endif %}
  {# no columns but those of lines, and only where they are wanted: Spark carries what is named here for every event #}
  {% set row = 'struct(event, recorded_at, interval_start, interval_end, started_at, execution_time, model_hash, snapshot_id, source, details)' %}
  {% set writes = "event in ('" ~ dbt_kinds.write_events() | join("', '") ~ "')" %}
  {% set findings = "event in ('" ~ dbt_kinds.findings_events() | join("', '") ~ "')" %}
  {% set by_relation %}
select
  coalesce(relation, '') as relation,
  max(recorded_at) as latest,
  concat_ws(char(10), collect_list(if({{ writes }} or {{ findings }}, null, {{ dbt_kinds.event_line_sql() }})))
    as lines,
  collect_list(if({{ dbt_kinds.is_note_sql() }}, {{ row }}, null)) as notes,
  max_by(if({{ writes }}, {{ row }}, null),
    if({{ writes }}, concat(recorded_at, if(event = 'pending', ' 2', ' 1')), null)) as newest_write,
  max_by(if(instr(details, '"versions"') > 0, details, ''),
    if(event = 'loaded', concat(recorded_at, ' ', interval_start), null)) as newest_details
from {{ source }}
where coalesce(event, '') not in ('{{ dbt_kinds.lease_events() | join("', '") }}')
  {%- if asked is not none %}
    and {{ 'not ' if others }}{{ dbt_kinds.is_one_of("coalesce(relation, '')",
      asked | list + ([] if others else [''])) }}{% endif %}
group by relation
  {%- endset %}
  {% set found = dbt_kinds.query_rows(by_relation, by='relation') %}
  {% do dbt_kinds.notice_moments(found | map(attribute='latest')) %}
  {% set logs = [] %}
  {% for one in found %}
    {% do dbt_kinds.fail_unreadable('', one.lines.splitlines()[0]) if one.relation == '' and one.lines %}
    {% set rows = one.get('notes', []) | list %}
    {% do rows.append(one.newest_write) if one.newest_write is defined and one.newest_write not in rows %}
    {% do logs.append({'relation': one.relation, 'lines': one.lines, 'rows': rows,
      'newest_details': one.get('newest_details')}) %}
  {% endfor %}
  {% do return(logs) %}
{% endmacro %}


{# The lines of one relation in a store. #}
{% macro lines_in(store, relation) %}
  {% set by_line %}
select concat_ws(char(10), collect_list({{ dbt_kinds.event_line_sql() }})) as lines
from {{ store }}
where relation = {{ dbt_kinds.text_literal(relation) }} and event in ('loaded', 'invalidated')
  {%- endset %}
  {% do return(dbt_kinds.query_rows(by_line)[0].lines) %}
{% endmacro %}
