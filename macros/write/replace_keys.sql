{#
  For duplicate_keys: replace_all, where the key names a group of rows and a batch brings all rows of each key that it
  holds: replaces the rows of these keys, but for keys that have the same rows already.
  Can be repeated.
#}
{% macro replace_keys(relation, run_context, batch, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% set rows = dbt_kinds.staged_batch(relation, run_context, query, relation) %}
  {% set actions = dbt_kinds.stage_rows(relation, write_spec, 'actions',
    dbt_kinds.replacing_actions(relation, options, write_spec, rows), dbt_kinds.replacing_columns(write_spec)) %}
  {% set counts = "select count_if(__kinds_action = 'insert') as inserts, count_if(__kinds_action = 'delete') as deletes from " ~ actions %}
  {% set found = dbt_kinds.check_keys(options, write_spec, rows, batch, counts) %}
  {% set compares, details = options.get('capture') is not none, dbt_kinds.versions_read(run_context) %}
  {% if compares and not found.inserts %}
    {% do return(dbt_kinds.nothing_differs(run_context)) %}
  {% elif not found.inserts %}
    {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=found.all_rows,
      sql='-- every row of the batch is there already', details=details)) %}
  {% endif %}
  {% set changes = dbt_kinds.changes_of_keys(write_spec, actions, found.deletes) %}
  {% do return(dbt_kinds.write_changes(relation, run_context, batch, changes,
    {'rows_written': found.inserts if compares else found.all_rows, 'details': details})) %}
{% endmacro %}


{# The changes of staged actions, some of which delete, by their number. Pure. #}
{% macro changes_of_keys(write_spec, actions, deletes=1) %}
  {% set of_key = dict(write_spec, key_parts=dbt_kinds.key_names(write_spec)) %}
  {% set changes = dbt_kinds.staged_changes(of_key, actions,
    [{'condition': none, 'action': 'delete'}] if deletes else [], true) %}
  {% do return(dict(changes, matches="__kinds_action <> 'insert' and " ~ dbt_kinds.has_key(write_spec.key_parts))) %}
{% endmacro %}


{# The columns of the actions, `[{name, type}]`. Pure. #}
{% macro replacing_columns(write_spec) %}
  {% set columns = [{'name': '__kinds_action', 'type': 'string'}] %}
  {% for name in dbt_kinds.key_names(write_spec) %}
    {% do columns.append({'name': name, 'type': write_spec.key_types[loop.index0]}) %}{% endfor %}
  {% do return(columns + write_spec.schema) %}
{% endmacro %}


{#
  SQL: one `delete` row per key that the table has with other rows, one `insert` per row of such keys and of those that
  it lacks. The rows of a key are compared by their hashes and number, as groups of the kind `tracked` are. Pure.
#}
{% macro replacing_actions(relation, options, write_spec, rows) %}
  {% set names, hash = dbt_kinds.key_names(write_spec), dbt_kinds.content_hash(write_spec.schema, []) %}
  {% set keys, same, nulls = names | join(', '), [], [] %}
  {% for name in names %}{% do same.append('other.' ~ name ~ ' <=> one.' ~ name) %}{% endfor %}
  {% for column in write_spec.schema %}
    {% do nulls.append('cast(null as ' ~ dbt_kinds.sql_type(column.type) ~ ')') %}{% endfor %}
  {% set sql -%}
with arrived as (
  select *{{ dbt_kinds.named_keys(write_spec.key_parts) }} from {{ rows }} as source
), hashed as (
  select {{ keys }}, {{ hash }} as __kinds_hash from arrived group by {{ keys }}
), stored as (
  select {{ keys }}, {{ hash }} as __kinds_hash
  from {{ relation }} as target join (select {{ keys }} from hashed) as source
    on {{ dbt_kinds.has_key(write_spec.key_parts) }}
  group by {{ keys }}
), changed as (
  select one.*, other.__kinds_hash is not null as __kinds_is_stored
  from hashed as one left join stored as other on {{ same | join(' and ') }}
  {%- if options.insert_only %}
  where other.__kinds_hash is null
  {%- elif options.update_only_changed %}
  where not (other.__kinds_hash <=> one.__kinds_hash)
  {%- endif %}
)
select 'insert' as __kinds_action, one.{{ names | join(', one.') }}, one.{{ write_spec.columns | join(', one.') }}
from arrived as one join changed as other on {{ same | join(' and ') }}
union all
select 'delete' as __kinds_action, {{ keys }}, {{ nulls | join(', ') }} from changed where __kinds_is_stored
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
