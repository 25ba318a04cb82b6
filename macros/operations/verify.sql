{#
  The steps of `dbt-kinds verify`, which compiles two models between the first and the second. It only creates scratch
  tables; the model's table is read and never written. `before` copies the rows before a window, for the old model to
  read; `compare` builds both results and counts the rows that occur more often in one than in the other; `drop` drops
  every scratch table.
#}
{% macro verify(step=none, target=none, copy=none, old=none, new=none, cut=[], old_query=none, new_query=none,
  time_column=none, start=none, end=none, file_format='parquet') %}
  {% if step == 'before' %}
    {% set table = dbt_kinds.describe_table(target) %}
    {% set conditions = [] %}
    {% for column in cut %}
      {% do conditions.append(dbt_kinds._compared_with(target, table, column, '<', start)) %}
    {% endfor %}
    {% do dbt_kinds._make_scratch(copy, dbt_kinds._within(target, conditions), file_format) %}
    {% do dbt_kinds.print_answer('verify', {'step': step}) %}
  {% elif step == 'compare' %}
    {% set table = dbt_kinds.describe_table(target) %}
    {% set conditions = [] %}
    {% if time_column %}
      {% do conditions.append(dbt_kinds._compared_with(target, table, time_column, '>=', start)) %}
      {% do conditions.append(dbt_kinds._compared_with(target, table, time_column, '<', end)) %}
    {% endif %}
    {% for name, query in [(old, old_query), (new, new_query)] %}
      {% do dbt_kinds._make_scratch(name,
        dbt_kinds._within('(\n' ~ dbt_kinds.one_query(target, query) ~ '\n)', conditions), file_format) %}
    {% endfor %}
    {% do dbt_kinds.print_answer('verify', dict({'step': step}, **dbt_kinds._compared(old, new))) %}
  {% elif step == 'drop' %}
    {% for name in [copy, old, new] %}
      {% do dbt_kinds.drop_table(name) %}
    {% endfor %}
    {% do dbt_kinds.print_answer('verify', {'step': step}) %}
  {% else %}
    {% do exceptions.raise_compiler_error("dbt_kinds: step '" ~ step
      ~ "' of verify is none of before, compare and drop") %}
  {% endif %}
{% endmacro %}


{% macro _make_scratch(name, query, file_format) %}
  {% do run_query('create table ' ~ name ~ ' using ' ~ file_format ~ ' as ' ~ query) %}
{% endmacro %}


{% macro _within(rows, conditions) %}
  {% do return('select * from ' ~ rows ~ (' where ' ~ conditions | join(' and ') if conditions else '')) %}
{% endmacro %}


{# A column of the model's table compared with an instant, as a literal of its type. #}
{% macro _compared_with(target, table, column, operator, instant) %}
  {% set found = dbt_kinds.find_column(table.columns, column) %}
  {% if found is none %}
    {% do exceptions.raise_compiler_error('dbt_kinds: ' ~ target ~ " has no column '" ~ column
      ~ "', which its window is told by; it has "
      ~ table.columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set values = dbt_kinds.column_values(target, found.name, found.type, none) %}
  {% do return(dbt_kinds.quoted(found.name) ~ ' ' ~ operator ~ ' '
    ~ dbt_kinds.bound_literal(values, dbt_kinds.parse_instant(target, 'window', instant))) %}
{% endmacro %}


{# `{columns, rows, differing, examples}`, each for old and new: rows compared as multisets, with ten examples of rows
   that only one side has. #}
{% macro _compared(old, new) %}
  {% set names, found = {}, {} %}
  {% for side, table in [('old', old), ('new', new)] %}
    {% do names.update({side: dbt_kinds.describe_table(table).columns | map(attribute='name') | list}) %}
  {% endfor %}
  {% set shared = [] %}
  {% for name in names.old if name | lower in names.new | map('lower') | list %}
    {% do shared.append(dbt_kinds.quoted(name)) %}
  {% endfor %}
  {% for side, one, other in [('old', old, new), ('new', new, old)] %}
    {% set list = shared | join(', ') %}
    {% set only = 'select ' ~ list ~ ' from ' ~ one ~ ' except all select ' ~ list ~ ' from ' ~ other %}
    {% set examples = dbt_kinds.query_rows('select to_json(struct(*)) as row_text from (' ~ only
      ~ ') order by 1 limit 10') %}
    {% do found.update({side: {
      'columns': names[side],
      'rows': dbt_kinds.query_rows('select count(*) as row_count from ' ~ one)[0].row_count,
      'differing': dbt_kinds.query_rows('select count(*) as row_count from (' ~ only ~ ')')[0].row_count,
      'examples': examples | map(attribute='row_text') | list,
    }}) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}
