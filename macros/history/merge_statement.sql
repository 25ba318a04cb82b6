{#
  SQL that makes the changes in one commit, with only the clauses needed: without an insert Spark need not shuffle the table, and with
  only inserts no file is rewritten. Pure.
#}
{% macro merge_statement(relation, writer, changes, counts) %}
  {% set selected = [] %}
  {% for column in writer.columns %}
    {% do selected.append('source.__kinds_boundary' if column == writer.valid_from else dbt_kinds.null_end(writer) if column == writer.valid_to else 'source.' ~ column) %}
  {% endfor %}
  {% if counts.closed + counts.replaced + counts.dropped == 0 %}
    {% set sql -%}
insert into {{ relation }}
select {{ selected | join(', ') }} from {{ changes }} as source where source.__kinds_action = 'insert'
    {%- endset %}
  {% else %}
    {% set sql -%}
merge into {{ relation }} as target
using {{ changes }} as source
on target.{{ writer.valid_to }} is null and source.__kinds_action in ('close', 'replace', 'drop') and {{ dbt_kinds.is_key_of_change(writer) }}
{%- if counts.closed %}
when matched and source.__kinds_action = 'close' then update set {{ writer.valid_to }} = source.__kinds_boundary
{%- endif %}
{%- if counts.replaced %}
when matched and source.__kinds_action = 'replace' then update set
      {%- for column in writer.source_columns %}
  {{ column }} = source.{{ column }}{{ ',' if not loop.last }}
      {%- endfor %}
{%- endif %}
{%- if counts.dropped %}
when matched and source.__kinds_action = 'drop' then delete
{%- endif %}
{%- if counts.inserted %}
when not matched and source.__kinds_action = 'insert' then insert ({{ writer.columns | join(', ') }})
values ({{ selected | join(', ') }})
{%- endif %}
    {%- endset %}
  {% endif %}
  {% do return(sql) %}
{% endmacro %}
