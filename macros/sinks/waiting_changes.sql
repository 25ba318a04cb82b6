{#
  SQL: the changes of a model that have not been delivered, `{delta, type, key, row, change}`, for a limited number of keys, oldest first. A delivery settles a key up to its delta,
  and a resync everything before it.
#}
{% macro waiting_changes_query(relation, limit) %}
  {% set outbox, of_relation = dbt_kinds.outbox_table(), 'relation = ' ~ dbt_kinds.text_literal(relation) %}
  {% set sql -%}
with deltas as (
  {{ dbt_kinds.deltas_query(relation) }}
), settled as (
  select key, max(delta) as delta from {{ dbt_kinds._deliveries(relation) }} where status in ('ok', 'warn') or (status in ('reject', 'dead') and not is_revived) group by key
), waiting as (
  select changes.delta, changes.type, changes.key, changes.row, changes.change, min(changes.delta) over (partition by changes.key) as since
  from {{ outbox }} as changes
  join deltas on deltas.fill = changes.fill
  left join settled on settled.key = changes.key
  where changes.{{ of_relation }} and changes.event = 'change'
    and changes.delta > coalesce(settled.delta, 0) and changes.delta >= (select coalesce(max(delta), 0) from deltas where status = 'resync')
), ranked as (
  select *, dense_rank() over (order by since, key) as place from waiting
)
select delta, type, key, row, change, place from ranked where place <= {{ limit }} order by place, delta, type, row
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL in parentheses: the results of pushing the changes of keys, and whether a dead letter was revived later. #}
{% macro _deliveries(relation) %}
  {% set sql -%}
(
    select *,
      coalesce(max(if(status = 'retry', moment, null)) over (partition by change) > moment, false) as is_revived
    from {{ dbt_kinds.outbox_table() }} where relation = {{ dbt_kinds.text_literal(relation) }} and event = 'delivery'
  )
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{#
  SQL: how often the pending changes were sent, by key: `{key, attempts, deltas, first_at, last_at, status, reason}`, where deltas lists the last delta of each attempt,
  separated by commas. An attempt is recorded as `sending` before the call.
#}
{% macro attempts_query(relation) %}
  {% set sql -%}
select key, max(attempts) as attempts, array_join(collect_set(if(status = 'sending', delta, null)), ',') as deltas, min(if(status = 'sending', moment, null)) as first_at, max(moment) as last_at, max_by(status, moment) as status, max_by(reason, moment) as reason
from (
  select *, max(if(status in ('ok', 'warn', 'reject', 'dead', 'retry'), moment, '')) over (partition by key) as settled_at
  from {{ dbt_kinds.outbox_table() }} where relation = {{ dbt_kinds.text_literal(relation) }} and event = 'delivery' and key is not null
)
where status in ('sending', 'error') and moment > settled_at
group by key
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the dead letters of a model, `{change, type, key, row, reason, attempts, moment}`. #}
{% macro dead_letters_query(relation) %}
  {% do return("select change, type, key, row, reason, attempts, moment, delta from " ~ dbt_kinds._deliveries(relation) ~ " where status in ('reject', 'dead') and not is_revived order by moment, change") %}
{% endmacro %}


{# SQL: the processes that push a model's changes, `{holder, claimed_at}`, earliest claim first, without those that gave no sign of life since a moment. #}
{% macro pushers_query(relation, since) %}
  {% set sql -%}
select holder, min(if(status = 'claimed', moment, null)) as claimed_at
from {{ dbt_kinds.outbox_table() }} where relation = {{ dbt_kinds.text_literal(relation) }} and event = 'delivery' and holder is not null
group by holder
having max(status = 'released') = false and max(moment) > {{ dbt_kinds.text_literal(since) }}
order by claimed_at, holder
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
