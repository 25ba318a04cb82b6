{#
  Merges the states of one batch into those of the table. The batch is computed once, into a stage, and the combined
  states of its keys once, into another. Repeating either would count the batch twice, so the write is announced, and
  settle_announced_write resolves an interrupted one.
#}
{% macro merge_aggregates(relation, run_context, batch, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% set rows = run_context.get('staged')
    or dbt_kinds.stage_rows(relation, write_spec, 'batch', dbt_kinds.filtered_query(query, 'true', write_spec.selected),
    write_spec.schema, relation) %}
  {% set added = [{'name': '__kinds_action', 'type': 'string'}, {'name': '__kinds_stored', 'type': 'bigint'},
    {'name': '__kinds_unfit', 'type': 'string'}] %}
  {% set like = "(select *, '' as __kinds_action, cast(0 as bigint) as __kinds_stored, cast(null as string) as __kinds_unfit from " ~ relation ~ ')' %}
  {% set states = dbt_kinds.stage_rows(relation, write_spec, 'states',
    dbt_kinds.combined_states(write_spec, relation, rows), write_spec.schema + added, like) %}
  {% set found = dbt_kinds._check_combined(options, write_spec, relation, states) %}
  {% set changes = dbt_kinds.staged_changes(write_spec, states, write_spec.clauses if found.stored_keys else [],
    found.stored_keys < found.all_keys) %}
  {% if not changes.clauses and changes.inserted is none %}
    {% do return({'rows_written': found.all_keys, 'sql': '-- the batch changes nothing'}) %}
  {% endif %}
  {% do return(dbt_kinds.write_changes(relation, run_context, batch, changes, {'rows_written': found.all_keys},
    is_announced=true)) %}
{% endmacro %}


{# The number of keys in the batch, and how many of them the table has. A key with several rows in the table would add
   the batch to each; a sum that overflows would lose it. #}
{% macro _check_combined(options, write_spec, relation, states) %}
  {% set counts %}
select count(*) as all_keys, count(if(__kinds_stored > 0, 1, null)) as stored_keys,
  coalesce(max(__kinds_stored), 0) as most_rows, count(if(__kinds_unfit <> '', 1, null)) as unfit_keys from {{ states }}
  {%- endset %}
  {% set found = dbt_kinds.query_rows(counts)[0] %}
  {% if found.most_rows > 1 %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' has up to ' ~ found.most_rows ~ ' rows for one '
        ~ options.unique_key | join(', ')
      ~ ', and must have one; nothing was changed. Either unique_key has changed, or something else wrote to the table: rebuild it with --full-refresh') %}
  {% elif found.unfit_keys %}
    {% set one = dbt_kinds.query_rows('select ' ~ write_spec.key_parts | join(', ') ~ ', __kinds_unfit from ' ~ states
      ~ " where __kinds_unfit <> '' limit 1")[0] %}
    {% set words = one.pop('__kinds_unfit') %}
    {% do dbt_kinds.drop_stages(relation) %}
    {% do dbt_kinds.fail(options.model,
      'a sum became too large for its column, ' ~ words ~ ', for ' ~ dbt_kinds.counted(found.unfit_keys, 'key', 'keys')
        ~ ', such as ' ~ dbt_kinds.json_text(one)
      ~ '; nothing was changed. Cast the column to a wider type in the query, such as decimal(38, 0), and rebuild the table with --full-refresh if the next run asks for it') %}
  {% endif %}
  {% do return(found) %}
{% endmacro %}


{#
  SQL: the keys of a batch, each with the combined states of table and batch, what is to be done with them
  (`__kinds_action`), in `__kinds_stored` the number of the table's rows with that key, and in `__kinds_unfit` the
  columns whose sum does not fit into them, which is NULL. A column without a combiner is one that the query lost, and
  keeps its value. Pure.
#}
{% macro combined_states(write_spec, relation, rows) %}
  {% set selected, sums, unfit = [], {}, [] %}
  {% for column in write_spec.sums %}
    {% set quoted = dbt_kinds.quoted(column.name) %}
    {% set sum = 'try_cast(try_sum(' ~ quoted ~ ') as ' ~ dbt_kinds.sql_type(column.type)
      ~ ')' %}
    {% do sums.update({quoted: sum}) %}
    {% do unfit.append('if(' ~ sum ~ ' is null and count(' ~ quoted ~ ') > 0, '
      ~ dbt_kinds.text_literal(column.name ~ ' (' ~ column.type ~ ')') ~ ', null)') %}
  {% endfor %}
  {% for column in write_spec.columns %}
    {% do selected.append(sums[column] ~ ' as ' ~ column if column in sums else column if column in write_spec.key_parts
      else ('first(' ~ column ~ ', true)' if column not in write_spec.functions
      else write_spec.functions[column] ~ '(' ~ column ~ ')') ~ ' as ' ~ column) %}
  {% endfor %}
  {% set sql -%}
select {{ selected | join(', ') }}, if(sum(__kinds_is_stored) > 0, 'update', 'insert') as __kinds_action,
  sum(__kinds_is_stored) as __kinds_stored,
  {{ "concat_ws(', ', " ~ unfit | join(', ') ~ ')' if unfit else "''" }} as __kinds_unfit
from (
  select {{ write_spec.columns | join(', ') }}, 1 as __kinds_is_stored
  from {{ relation }} as target left semi
  join {{ rows }} as source on {{ dbt_kinds.same_key(write_spec, 'target', 'source') }}
  union all
  select {{ write_spec.columns | join(', ') }}, 0 as __kinds_is_stored from {{ rows }}
)
group by {{ write_spec.key_parts | join(', ') }}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
