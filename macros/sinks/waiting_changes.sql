{#
  SQL: the changes of a model that have not been delivered,
  `{delta, type, key, row, change, place, keys, attempts, sent, first_at, last_at, last_status}`, for a limited number
  of keys, oldest first. `place` is the rank of the key, `keys` how many there are without the limit; the others are
  those of `tried` below.
#}
{% macro waiting_changes_query(relation, limit) %}
  {% set sql -%}
{{ dbt_kinds._state_of_deliveries([relation]) }}, waiting as (
  select changes.*, attempts, sent, first_at, last_at, last_status,
    min(changes.delta) over (partition by changes.key) as since
  from changes
  join resyncs using (relation)
  left join tried using (relation, key)
  where changes.delta > coalesce(settled, 0) and changes.delta >= resync
), ranked as (
  select *, dense_rank() over (order by since, key) as place from waiting
), counted as (
  select *, max(place) over () as keys from ranked
)
select delta, type, key, row, change, place, keys, attempts, sent, first_at, last_at, last_status from counted
where place <= {{ limit }} order by place, delta, type, row
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: how many keys have pending changes, how many dead letters there are, and how many gaps that no resync has
   closed: `{relation, waiting, dead, gaps}`; no row if there was no delta. #}
{% macro outbox_counts_query(relations) %}
  {% set sql -%}
{{ dbt_kinds._state_of_deliveries(relations) }}, changed as (
  select relation, key, max(delta) as delta from changes group by relation, key
)
select relation, count_if(changed.delta > coalesce(settled, 0) and changed.delta >= resync) as waiting,
  coalesce(sum(array_size(dead)), 0) as dead, max(gaps) as gaps
from resyncs
left join (changed full outer join tried using (relation, key)) using (relation)
group by relation
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the dead letters of a model, `{change, type, key, row, reason, attempts, moment, delta}`. #}
{% macro dead_letters_query(relation) %}
  {% set sql -%}
{{ dbt_kinds._state_of_deliveries([relation]) }}
select letter.change, letter.type, key, letter.row, letter.reason, letter.attempts, letter.moment, letter.delta
from (select key, explode(dead) as letter from tried)
order by letter.moment, letter.change
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{#
  SQL that the queries above begin with, four common table expressions. `changes` are those of complete deltas.
  `resyncs` has a row for each relation: the last delta that replaced what was pending, 0 if none did, and how many
  `gaps` there are after it. `tried` has a row for each key that was pushed: its `dead` letters that were not revived,
  up to which delta it is `settled`, and of the attempts since then the number, the last delta of each (`sent`,
  separated by commas), times and status; an attempt is recorded as `sending` before the call. A key's deliveries are
  looked at as an array, because each shuffle of a small log takes longer than the rest.
#}
{% macro _state_of_deliveries(relations) %}
  {% set literals = [] %}
  {% for relation in relations %}
    {% do literals.append(dbt_kinds.text_literal(relation)) %}
  {% endfor %}
  {% set outbox, chosen = dbt_kinds.outbox_table(), 'relation in (' ~ literals | join(', ') ~ ')' %}
  {% set sql -%}
with deltas as (
  {{ dbt_kinds.deltas_query(chosen) }}
), changes as (
  select relation, delta, type, key, row, change
  from {{ outbox }} as changes
  left semi join deltas on deltas.relation = changes.relation and deltas.fill = changes.fill
  where changes.{{ chosen }} and event = 'change'
), resyncs as (
  select relation, resync, array_size(filter(gaps, gap -> gap > resync)) as gaps
  from (select relation, max(if(status = 'resync', delta, 0)) as resync,
    collect_list(if(status = 'gap', delta, null)) as gaps from deltas group by relation)
), deliveries as (
  select relation, key, collect_list(struct(moment, status, delta, attempts, change, type, row, reason)) as told
  from {{ outbox }} where {{ chosen }} and event = 'delivery' and key is not null group by relation, key
), letters as (
  select *,
    filter(told, d -> d.status in ('reject', 'dead')
      and not exists(told, r -> r.status = 'retry' and r.change = d.change and r.moment > d.moment)) as dead,
    coalesce(array_max(filter(told, d -> d.status in ('ok', 'warn', 'reject', 'dead', 'retry'))).moment, '')
      as settled_at
  from deliveries
), attempted as (
  select *, filter(told, d -> d.status in ('sending', 'error') and d.moment > settled_at) as open from letters
), tried as (
  select relation, key, dead,
    array_max(transform(concat(dead, filter(told, d -> d.status in ('ok', 'warn'))), d -> d.delta)) as settled,
    array_max(transform(open, d -> d.attempts)) as attempts,
    array_join(array_distinct(transform(filter(open, d -> d.status = 'sending'), d -> d.delta)), ',') as sent,
    array_min(filter(open, d -> d.status = 'sending')).moment as first_at, array_max(open).moment as last_at,
    array_max(open).status as last_status
  from attempted
)
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the processes that push a model's changes, `{holder, claimed_at}`, earliest claim first, without those that gave
   no sign of life since a moment. #}
{% macro pushers_query(relation, since) %}
  {% set sql -%}
select holder, min(if(status = 'claimed', moment, null)) as claimed_at
from {{ dbt_kinds.outbox_table() }}
where relation = {{ dbt_kinds.text_literal(relation) }} and event = 'delivery' and holder is not null
group by holder
having max(status = 'released') = false and max(moment) > {{ dbt_kinds.text_literal(since) }}
order by claimed_at, holder
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
