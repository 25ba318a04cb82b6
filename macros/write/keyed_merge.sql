{# SQL: a merge by key, with only the clauses needed: without rows to insert Spark need not shuffle the table, and without rows to update it rewrites no file. Pure. #}
{% macro keyed_merge(relation, writer, source, clauses, inserts, condition=none) %}
  {% set sql -%}
merge into {{ relation }} as target
using {{ source }} as source
on {{ condition or writer.is_same }}
  {%- for clause in clauses %}
when matched{{ ' and ' ~ clause.condition if clause.condition }} then
    {%- if clause.action == 'delete' %} delete
    {%- else %} update set
      {%- for assignment in clause.assignments %}
  target.{{ dbt_kinds.quoted(assignment.column) }} = {{ assignment.expression }}{{ ',' if not loop.last }}
      {%- endfor %}
    {%- endif %}
  {%- endfor %}
  {%- if inserts %}
when not matched then insert ({{ writer.columns | join(', ') }})
values (source.{{ writer.columns | join(', source.') }})
  {%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
