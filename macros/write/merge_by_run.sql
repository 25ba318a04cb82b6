{#
  SCD type 2 by run: closes the open versions whose row changed or disappeared, at the number before this run's, and opens versions for new and changed rows, in one commit on
  Iceberg and Delta; on Parquet and ORC the complete new table is staged. If nothing changed, nothing is written.
#}
{% macro merge_by_run(relation, work, batch, query) %}
  {% set options, writer = work.options, work.writer %}
  {% set checked = work.pop('checked', none) %}
  {% set rows = checked.rows if checked is not none else dbt_kinds.staged_batch(relation, work, query) %}
  {% set sequence = dbt_kinds.run_sequence(relation, work) %}
  {% set details = dbt_kinds.json_text({'sequence': sequence}) %}
  {% set actions = none if work.start_anew else dbt_kinds.stage_rows(relation, writer, 'actions', dbt_kinds.version_actions(relation, options, writer, rows, sequence), [{'name': '_action', 'type': 'string'}] + writer.schema) %}
  {% set counts = "select count_if(_action = 'open') as opened, count(*) as all_actions from " ~ actions if actions is not none else none %}
  {% set found = checked.counts if checked is not none else dbt_kinds.check_keys(options, writer, rows, batch, counts) %}
  {% if found.all_rows == 0 and dbt_kinds.is_emptied(relation, work) %}
    {% do return({'rows_written': 0, 'is_idle': true, 'sql': '-- the query has no rows'}) %}
  {% endif %}
  {% if work.start_anew %}
    {% set sql, opened = dbt_kinds.opened_versions(options, writer, rows, sequence), found.all_rows %}
    {% do dbt_kinds.replace_table(relation, work, sql) %}
    {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=opened, sql=sql, details=details)) %}
  {% elif not found.all_actions %}
    {% do return({'rows_written': 0, 'is_idle': true, 'sql': '-- no row has changed'}) %}
  {% elif not dbt_kinds.is_of_files(options.file_format) %}
    {% set sql = dbt_kinds.version_merge(relation, options, writer, actions, sequence) %}
    {% do dbt_kinds.hold_lease(options) %}
    {% call statement('merge_by_run') %}{{ sql }}{% endcall %}
  {% else %}
    {% set sql = dbt_kinds.whole_versions(relation, options, writer, actions, sequence) %}
    {% do dbt_kinds.put_whole_in_place(relation, work, batch, dbt_kinds.stage(relation, 'whole', sql, relation), found.opened, details) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=found.opened, sql=sql, details=details)) %}
{% endmacro %}


{# SQL: a `close` action matches the open version of its key, an `open` action none. Pure. #}
{% macro version_merge(relation, options, writer, actions, sequence) %}
  {% set sql -%}
merge into {{ relation }} as target
using {{ actions }} as source
on {% for key in writer['keys'] %}target.{{ key }} = source.{{ key }} and {% endfor %}target.{{ dbt_kinds.quoted(options.valid_to_name) }} is null and source._action = 'close'
when matched then update set {{ dbt_kinds.quoted(options.valid_to_name) }} = {{ sequence - 1 }}, {{ dbt_kinds.quoted('is_current') }} = false
when not matched and source._action = 'open' then insert ({{ writer.columns | join(', ') }})
values (source.{{ writer.columns | join(', source.') }})
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the whole table after that merge. Pure. #}
{% macro whole_versions(relation, options, writer, actions, sequence) %}
  {% set is_same, selected = [], [] %}
  {% for key in writer['keys'] %}
    {% do is_same.append('target.' ~ key ~ ' = source.' ~ key) %}
  {% endfor %}
  {% set to = dbt_kinds.quoted(options.valid_to_name) %}
  {% set closed = {to: 'if(source._action is null, target.' ~ to ~ ', ' ~ (sequence - 1) ~ ')', dbt_kinds.quoted('is_current'): 'if(source._action is null, target.' ~ dbt_kinds.quoted('is_current') ~ ', false)'} %}
  {% for column in writer.columns %}
    {% do selected.append(closed.get(column, 'target.' ~ column) ~ ' as ' ~ column) %}
  {% endfor %}
  {% set sql -%}
select {{ selected | join(', ') }}
from {{ relation }} as target left join {{ actions }} as source on {{ is_same | join(' and ') }} and target.{{ to }} is null and source._action = 'close'
union all
select {{ writer.columns | join(', ') }} from {{ actions }} where _action = 'open'
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
