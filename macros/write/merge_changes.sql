{#
  The statements that make changes in a table that can be merged into, with only the clauses needed: without rows to
  insert Spark need not shuffle the table, and without rows to update it rewrites no file. One commit; two where
  `in_two_commits` allows it, which saves the shuffle, too. Pure.
#}
{% macro change_statements(relation, write_spec, changes) %}
  {% set insert = [] if changes.inserted is none
    else ['insert into ' ~ relation ~ '\n' ~ dbt_kinds.inserted_rows(write_spec, changes)] %}
  {% if not changes.clauses %}
    {% do return(insert) %}
  {% elif changes.get('in_two_commits') %}
    {% do return([dbt_kinds.merge_statement(relation, write_spec, dict(changes, inserted=none))] + insert) %}
  {% endif %}
  {% do return([dbt_kinds.merge_statement(relation, write_spec, changes)]) %}
{% endmacro %}


{# SQL: all changes in one merge. Pure. #}
{% macro merge_statement(relation, write_spec, changes) %}
  {% set sql -%}
merge into {{ relation }} as target
using {{ changes.rows }} as source
on {{ changes.matches }}
  {%- for clause in changes.clauses %}
when matched{{ ' and ' ~ clause.condition if clause.condition }} then
    {%- if clause.action == 'delete' %} delete
    {%- else %} update set
      {%- for assignment in clause.assignments %}
  {{ assignment.column }} = {{ assignment.expression }}{{ ',' if not loop.last }}
      {%- endfor %}
    {%- endif %}
  {%- endfor %}
  {%- if changes.inserted is not none %}
when not matched{{ " and __kinds_action = 'insert'" if 'stored' not in changes }}
  then insert ({{ write_spec.columns | join(', ') }})
values ({{ changes.inserted | join(', ') }})
  {%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{#
  Makes changes in a table: merges them on Iceberg and Delta; on Parquet and ORC the complete new table is staged and
  put in place, which the next run finishes if this one dies. `written` is what is recorded, `rows_written` and
  `details`. A merge that must not be repeated is announced.
#}
{% macro write_changes(relation, run_context, batch, changes, written, is_announced=false) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if dbt_kinds.is_file_format(options.file_format) %}
    {% set sql = dbt_kinds.changed_table(relation, write_spec, changes) %}
    {% set whole = dbt_kinds.stage(relation, 'history' if 'counts' in changes else 'whole', sql, relation) %}
    {% do dbt_kinds.check_whole_history(options, write_spec, relation, whole, changes.counts) if 'counts' in changes %}
    {% do dbt_kinds.put_whole_in_place(relation, run_context, batch, whole, written.rows_written,
      written.get('details')) %}
    {% do return(dict(written, sql=sql)) %}
  {% endif %}
  {% if is_announced %}
    {% do dbt_kinds.announce_commit(relation, run_context, batch,
      {'write': 'merge', 'rows': written.rows_written, 'details': written.get('details')}) %}
  {% endif %}
  {% set statements = dbt_kinds.change_statements(relation, write_spec, changes) %}
  {% for sql in statements %}
    {% do dbt_kinds.assert_lease(options) %}
    {% call statement('merge_changes') %}{{ sql }}{% endcall %}
  {% endfor %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format),
    **dict(written, sql=statements | join(';\n') or '-- the batch changes nothing'))) %}
{% endmacro %}
