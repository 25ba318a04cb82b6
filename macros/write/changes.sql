{#
  What is to be done to a table, made by each kind that changes rows (shapes: docs/how-it-works.md). Where an action is
  staged with each row, that is all there is to know; where not, a row whose key the table has is updated and another
  inserted, and `stored` asks which keys these are. Rows are structs beside their keys, so that a bare name in an
  expression of a model means the row of the table.
#}


{# SQL: rows as `__kinds_row`, with the columns named in `also` and the parts of their key as `__kinds_key_1`,
   `__kinds_key_2`, …. Pure. #}
{% macro keyed_rows(key_parts, rows, also=[]) %}
  {% set selected = also | list %}
  {% for key in key_parts %}
    {% do selected.append(key ~ ' as __kinds_key_' ~ loop.index) %}
  {% endfor %}
  {% do return('(select ' ~ selected | join(', ') ~ ', struct(__kinds_staged.*) as __kinds_row from ' ~ rows
    ~ ' as __kinds_staged)') %}
{% endmacro %}


{# SQL: whether a row of the table has the key of such a row. Pure. #}
{% macro has_key(key_parts, equals='<=>') %}
  {% set same = [] %}
  {% for key in key_parts %}
    {% do same.append(key ~ ' ' ~ equals ~ ' __kinds_key_' ~ loop.index) %}
  {% endfor %}
  {% do return(same | join(' and ')) %}
{% endmacro %}


{# SQL: the columns of `__kinds_row`. Pure. #}
{% macro row_values(columns) %}
  {% set values = [] %}
  {% for column in columns %}
    {% do values.append('__kinds_row.' ~ column) %}
  {% endfor %}
  {% do return(values) %}
{% endmacro %}


{# The changes that rows with a `__kinds_action` ask for: 'insert', or one that the clauses do to the table's rows with
   the same key. Pure. #}
{% macro staged_changes(write_spec, actions, clauses, inserts) %}
  {% do return({
    'rows': dbt_kinds.keyed_rows(write_spec.key_parts, actions, ['__kinds_action']),
    'matches': "__kinds_action <> 'insert' and " ~ dbt_kinds.has_key(write_spec.key_parts),
    'clauses': clauses,
    'inserted': dbt_kinds.row_values(write_spec.columns) if inserts else none,
  }) %}
{% endmacro %}


{# SQL: the rows that changes insert, with the table's columns. Pure. #}
{% macro inserted_rows(write_spec, changes) %}
  {% set selected = [] %}
  {% for value in changes.inserted %}
    {% do selected.append(value ~ ' as ' ~ write_spec.columns[loop.index0]) %}
  {% endfor %}
  {% set sql -%}
select {{ selected | join(', ') }}
from {{ changes.rows }} as source
  {%- if 'stored' not in changes %}
where __kinds_action = 'insert'
  {%- elif changes.stored is not none %}
left anti join (
{{ changes.stored }}
) as stored on {{ dbt_kinds.key_of_row(write_spec) }} <=> stored.key
  {%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the key of a row with its key beside it, as one value. Pure. #}
{% macro key_of_row(write_spec) %}
  {% set names = [] %}
  {% for key in write_spec.key_parts %}{% do names.append('__kinds_key_' ~ loop.index) %}{% endfor %}
  {% do return('struct(' ~ names | join(', ') ~ ')') %}
{% endmacro %}
