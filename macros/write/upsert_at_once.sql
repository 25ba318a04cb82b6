{#
  An upsert without a stage: one question that checks the batch, and one merge, which runs the model's query again. So
  the query runs three times instead of once (Spark runs the source of a merge once to find the files that it has to
  rewrite, and once to rewrite them), and four statements are spared, of which the one that compares the rows reads the
  table once more (measured: half the CPU of a staged upsert of 20,000 rows into a million).

  What the question saw is not all that the merge sees. So the merge refuses keys as well, and leaves out rows whose key
  lies outside of the range that was asked for, by which Iceberg skips files: they came later, like the rows that a
  stage would not have seen.
#}
{% macro upsert_at_once(relation, run_context, batch, query) %}
  {% set options, write_spec, started_at = run_context.options, run_context.write_spec, dbt_kinds.next_moment() %}
  {% set rows = '(\n' ~ dbt_kinds.rows_by_key(options, write_spec, query) ~ '\n)' %}
  {% set measured = dbt_kinds.measured_range(options, write_spec) %}
  {% set found = dbt_kinds.check_keys(options, dict(write_spec, measured=measured), rows, batch) %}
  {% set sql = '-- the batch has no rows' %}
  {% if found.all_rows %}
    {% set sql = dbt_kinds.checked_merge(relation, run_context, batch, rows, dbt_kinds.key_range(write_spec, found)) %}
    {% do dbt_kinds.assert_lease(options) %}
    {% call statement('merge_changes') %}{{ sql }}{% endcall %}
  {% endif %}
  {% set details = {'upsert': dbt_kinds.upsert_costs(options, 'merged',
    {'seconds': dbt_kinds.to_thousandths(dbt_kinds.seconds_between(started_at, dbt_kinds.next_moment())),
      'rows': found.all_rows})} %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=found.all_rows, sql=sql,
    details=details)) %}
{% endmacro %}


{# SQL: that merge, whose source may raise. `range` is the one of its keys, as key_range returns it. Pure. #}
{% macro checked_merge(relation, run_context, batch, rows, range=none) %}
  {% set options, write_spec, names = run_context.options, run_context.write_spec,
    dbt_kinds.key_names(run_context.write_spec) %}
  {% set keyed = dbt_kinds.keyed_rows(write_spec.key_parts, rows) %}
  {% set counted = '(select *, count(*) over (partition by ' ~ names | join(', ') ~ ') as __kinds_times from ' ~ keyed
    ~ ')' %}
  {% set checked = '(\n  select ' ~ names | join(', ') ~ ', __kinds_row from ' ~ counted ~ '\n  where '
    ~ dbt_kinds.keys_are_good(options, write_spec, names, batch)
    ~ (' and __kinds_key_1 ' ~ range.condition if range is not none else '') ~ '\n)' %}
  {% set clauses = [] %}
  {% for clause in write_spec.clauses %}
    {% set conditions = [clause.condition, 'not (' ~ write_spec.is_equal ~ ')' if write_spec.is_equal else none]
      | select | list %}
    {% do clauses.append(dict(clause, condition=conditions | join(' and ') or none)) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_statement(relation, write_spec, {
    'rows': checked, 'matches': write_spec.matches
      ~ (' and ' ~ range.column ~ ' ' ~ range.condition if range is not none else ''), 'clauses': clauses,
    'inserted': dbt_kinds.row_values(write_spec.columns), 'stored': none,
  })) %}
{% endmacro %}


{# What is asked of a batch, by name, to know the range of a part of its key: of a column of a type that Iceberg keeps
   bounds of and whose values can be written as literals. Pure. #}
{% macro measured_range(options, write_spec) %}
  {% set part, type = write_spec.key_parts[0], write_spec.key_types[0] %}
  {% if options.null_keys == 'match' or part.startswith('(')
      or type not in ['tinyint', 'smallint', 'int', 'bigint', 'date', 'string'] %}
    {% do return({}) %}
  {% endif %}
  {# as texts: Python has no dates after the year 9999 #}
  {% do return({'least_key': 'cast(min(' ~ part ~ ') as string)',
    'greatest_key': 'cast(max(' ~ part ~ ') as string)'}) %}
{% endmacro %}


{# That range, `{column, condition}`; none if it was not asked for, or is nothing that a literal says as it is: a text
   of other characters may have been changed on its way here. Pure. #}
{% macro key_range(write_spec, found) %}
  {% set type, literals = write_spec.key_types[0], [] %}
  {% for bound in [found.get('least_key'), found.get('greatest_key')]
      if bound is not none and dbt_kinds.matches('[ -~]{0,100}', bound | string) %}
    {% do literals.append(dbt_kinds.text_literal(bound) if type == 'string'
      else 'cast(' ~ dbt_kinds.text_literal(bound | string) ~ ' as ' ~ dbt_kinds.sql_type(type) ~ ')') %}
  {% endfor %}
  {% do return({'column': 'target.' ~ write_spec.key_parts[0], 'condition': 'between ' ~ literals | join(' and ')}
    if literals | length == 2 else none) %}
{% endmacro %}


{# Whether the columns of a query have the types that the table has, so that a row compares alike before and after it is
   stored. Pure. #}
{% macro has_types_of_table(query_columns, schema) %}
  {% set by_name = dbt_kinds.columns_by_name(query_columns) %}
  {% for column in schema %}
    {% set source = by_name.get(column.name | lower) %}
    {# fields of structs may be quoted in one of them #}
    {% if source is not none and source.type != column.type
        and ('<' not in column.type or dbt_kinds.parse_type(source.type) != dbt_kinds.parse_type(column.type)) %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(true) %}
{% endmacro %}
