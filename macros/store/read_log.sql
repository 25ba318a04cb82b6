{#
  Every event of some relations, or all events, as mappings of the store's columns in the order of recorded_at; NULLs
  are absent. Re-reads the store. The same statement answers `questions`, queries of one value by name, into the mapping
  `answers`. If it `is_checked`, loads and invalidations that no run can read have `is_unreadable`.
#}
{% macro read_log(relations=none, questions={}, answers={}, is_checked=false) %}
  {% do return(dbt_kinds._events_where('true' if relations is none else dbt_kinds.is_one_of('relation', relations),
    questions, answers, is_checked=is_checked)) %}
{% endmacro %}


{# The events of the newest runs of some relations, `limit` of them in all. #}
{% macro read_newest_runs(relations, limit, interval=none) %}
  {% set of_relations = dbt_kinds.is_one_of('relation', relations) %}
  {% set touches = '' if interval is none
    else " and event in ('loaded', 'invalidated') and interval_start < '" ~ interval[1] ~ "' and interval_end > '"
    ~ interval[0] ~ "'" %}
  {% do return(dbt_kinds._events_where(of_relations ~ '
  and (relation, invocation_id) in (
    select relation, invocation_id from {source} where ' ~ of_relations ~ touches ~ '
    group by relation, invocation_id order by max(recorded_at) desc limit ' ~ limit ~ '
  )')) %}
{% endmacro %}


{# The events of every relation's last run, whether it claimed the table or was refused before, and of runs that have
   not ended. #}
{% macro read_last_runs() %}
  {% do return(dbt_kinds._events_where("(relation, invocation_id) in (
    select relation, max_by(invocation_id, recorded_at) from {source}
    where (event in ('claimed', 'released') and source = 'run') or " ~ dbt_kinds.is_refusal_sql() ~ "
    group by relation
    union
    select relation, invocation_id from {source} group by relation, invocation_id
    having max(event = 'claimed') and not max(event = 'released')
  )")) %}
{% endmacro %}


{# How many rows this run has recorded, by relation. #}
{% macro rows_recorded() %}
  {% set recorded = 'select relation, sum(rows_written) as number from ' ~ dbt_kinds.store_source()
    ~ "\nwhere event = 'loaded' and invocation_id = " ~ dbt_kinds.text_literal(invocation_id) ~ ' group by relation' %}
  {% set rows = {} %}
  {% for row in dbt_kinds.query_rows(recorded) %}
    {% do rows.update({row.relation: row.get('number')}) %}
  {% endfor %}
  {% do return(rows) %}
{% endmacro %}


{# The audit findings, and the loads published without audits, of the relations of some nodes; reads nothing if none has
   audits. #}
{% macro read_audits(nodes) %}
  {% set relations = [] %}
  {% for node in nodes if dbt_kinds.options_of(node).audits %}
    {% do relations.append(dbt_kinds.options_of(node).relation) %}
  {% endfor %}
  {% if not relations %}
    {% do return([]) %}
  {% endif %}
  {% do return(dbt_kinds._events_where(dbt_kinds.is_one_of('relation', relations)
    ~ " and (event = 'audit_failed' or (event = 'loaded' and details like '%\"audits\"%'))")) %}
{% endmacro %}


{#
  The events before a moment, those without a moment among them, of which the ones of leases are not needed, except for
  refusals: `{condition, compacted_at, parts}`, where compacted_at is the moment of the newest, and the parts are lists
  of relations that together have about `size` events to replay.
#}
{% macro old_log(until, size=100000) %}
  {% set is_old = "coalesce(recorded_at, '') < " ~ dbt_kinds.text_literal(until) %}
  {% set is_replayed = "(coalesce(event, '') not in ('" ~ dbt_kinds.lease_events() | join("', '") ~ "') or "
    ~ dbt_kinds.is_refusal_sql() ~ ')' %}
  {% set sql %}
select coalesce(relation, '') as relation, count_if({{ is_replayed }}) as events,
  coalesce(max(recorded_at), '') as newest
from {{ dbt_kinds.store_source() }}
where {{ is_old }}
group by coalesce(relation, '')
  {%- endset %}
  {% set counted = dbt_kinds.query_rows(sql, by='relation') %}
  {% do return({
    'condition': is_old ~ ' and ' ~ is_replayed,
    'compacted_at': counted | map(attribute='newest') | max | default('', true),
    'parts': dbt_kinds.parts_of_log(counted, size),
  }) %}
{% endmacro %}


{# Relations, given with their numbers of events, in lists of at most `size` events, or of one relation. Pure. #}
{% macro parts_of_log(counted, size) %}
  {% set parts, state = [], namespace(room=0) %}
  {% for row in counted if row.events %}
    {% if not parts or row.events > state.room %}
      {% do parts.append([]) %}
      {% set state.room = size %}
    {% endif %}
    {% do parts[-1].append(row.relation) %}
    {% set state.room = state.room - row.events %}
  {% endfor %}
  {% do return(parts) %}
{% endmacro %}


{# The events of some relations in an old log. Loads and invalidations that no run can read have `is_unreadable`. #}
{% macro read_old_log(old, relations) %}
  {% do return(dbt_kinds._events_where(
    old.condition ~ ' and ' ~ dbt_kinds.is_one_of("coalesce(relation, '')", relations), by='relation', is_checked=true
  )) %}
{% endmacro %}


{# `{source}` in the condition is replaced by the store. #}
{% macro _events_where(condition, questions={}, answers={}, by=none, is_checked=false) %}
  {% do dbt_kinds.find_store(refresh=true) %}
  {% set source = dbt_kinds.store_source() %}
  {% if source is none %}
    {% do return([]) %}
  {% endif %}
  {% set checked = ', if(' ~ dbt_kinds.is_unreadable_sql() ~ ', true, null) as is_unreadable' if is_checked else '' %}
  {% set sql = 'select *' ~ checked ~ ' from ' ~ source ~ '\nwhere ' ~ condition | replace('{source}', source) %}
  {% if questions %}
    {% set found = dbt_kinds.query_rows(dbt_kinds._with_answers(sql, questions))[0] %}
    {% set rows = found.events %}
    {% for name in questions %}{% do answers.update({name: found.get(name)}) %}{% endfor %}
  {% else %}
    {% set rows = dbt_kinds.query_rows(sql, by) %}
  {% endif %}
  {% for row in rows %}{% do row.setdefault('recorded_at', '') %}{% endfor %}
  {% set log = rows | sort(attribute='recorded_at') %}
  {% do dbt_kinds.notice_moments(log | map(attribute='recorded_at')) %}
  {% do return(log) %}
{% endmacro %}


{% macro _with_answers(sql, questions) %}
select events
{%- for name, query in questions.items() %}, ({{ query }}) as {{ name }}{% endfor %}
from (
  select collect_list(struct(*)) as events from (
{{ sql }}
  )
)
{%- endmacro %}


{# SQL: whether a column has one of these values. #}
{% macro is_one_of(column, texts) %}
  {% set literals = [] %}
  {% for text in texts %}
    {% do literals.append(dbt_kinds.text_literal(text)) %}
  {% endfor %}
  {% do return(column ~ ' in (' ~ literals | join(', ') ~ ')' if literals else 'false') %}
{% endmacro %}


{# The relation name of claims on the whole store. #}
{% macro store_key() %}
  {% set store = dbt_kinds.store_table() %}
  {% do return(dbt_kinds.relation_key(store.database, store.schema, store.identifier)) %}
{% endmacro %}
