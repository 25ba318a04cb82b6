{# SQL: the whole table after changes, for formats that cannot merge. Spark need not shuffle the table: changes that are
   few are sent to its rows. Pure. #}
{% macro changed_table(relation, write_spec, changes) %}
  {% set deleted = [] %}
  {% for clause in changes.clauses %}
    {% do deleted.append(loop.index) if clause.action == 'delete' %}
  {% endfor %}
  {% set sql -%}
  {%- if not changes.clauses -%}
select {{ write_spec.columns | join(', ') }} from {{ relation }} as target
  {%- else -%}
select {{ dbt_kinds._changed_columns(write_spec, changes) | join(', ') }}
from (
  select *, case
    when __kinds_row is null then 0
    {%- for clause in changes.clauses %}
    when {{ clause.condition or 'true' }} then {{ loop.index }}
    {%- endfor %}
    else 0
  end as __kinds_clause
  from {{ relation }} as target left join {{ changes.rows }} as source
  on {{ changes.matches }}
) as target
{{ 'where __kinds_clause not in (' ~ deleted | join(', ') ~ ')' if deleted }}
  {%- endif %}
  {%- if changes.inserted is not none %}
union all
{{ dbt_kinds.inserted_rows(write_spec, changes) }}
  {%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# The expression of each column of a row that stays. #}
{% macro _changed_columns(write_spec, changes) %}
  {% set assigned = {} %}
  {% for clause in changes.clauses %}
    {% set number = loop.index %}
    {% for assignment in clause.assignments or [] %}
      {% do assigned.setdefault(assignment.column | lower,
        []).append('when ' ~ number ~ ' then ' ~ assignment.expression) %}
    {% endfor %}
  {% endfor %}
  {% set selected = [] %}
  {% for column in write_spec.columns %}
    {% set cases = assigned.get(column | lower, []) %}
    {% do selected.append('case __kinds_clause ' ~ cases | join(' ') ~ ' else target.' ~ column ~ ' end as ' ~ column
      if cases else 'target.' ~ column) %}
  {% endfor %}
  {% do return(selected) %}
{% endmacro %}
