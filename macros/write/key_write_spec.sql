{#
  For writes by key: see table_write_spec; plus `key_parts` and `key_types`, the key's SQL for a row, `matches`, the
  condition that a row of the table has the key of a new one, `clauses`, of which the first that applies decides what
  happens to an existing row, and `is_equal`, the condition that an update would change nothing, none if every row
  counts as changed or rows are never updated.
#}
{% macro key_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% do dbt_kinds.check_keys_compare(options, keys) %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns, existing, options.partition_by) %}
  {% set names = write_spec.schema | map(attribute='name') | list %}
  {% do dbt_kinds._check_columns_exist(options, names | map('lower') | list) %}
  {% set parts = dbt_kinds.key_parts(options, write_spec.schema) %}
  {% set updated = dbt_kinds._updated_columns(options, write_spec.schema) %}
  {% set clauses = dbt_kinds._key_clauses(options, updated) %}
  {% do return(dict(
    write_spec, writes_whole_table=existing is none, checks_keys=true,
    has_types_of_table=dbt_kinds.has_types_of_table(query_columns, write_spec.schema), key_parts=parts,
    key_types=dbt_kinds.key_types(options, write_spec.schema, keys),
    matches=dbt_kinds.has_key(parts, '<=>' if options.null_keys == 'match' else '='), clauses=clauses,
    is_equal=dbt_kinds._equality(options, updated) if clauses else none
  )) %}
{% endmacro %}


{# SQL: the parts of the key of a row: columns, quoted, and expressions in parentheses. Pure. #}
{% macro key_parts(options, columns) %}
  {% set parts, by_name = [], dbt_kinds.columns_by_name(columns) %}
  {% for key in options.unique_key %}
    {% set column = by_name.get(dbt_kinds.unquoted(key) | lower) %}
    {% do parts.append('(' ~ key ~ ')' if column is none else dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% do return(parts) %}
{% endmacro %}


{# The types of the parts of the key; `keys` are those of expressions of the query, if known. Pure. #}
{% macro key_types(options, columns, keys) %}
  {% set types, by_name = [], dbt_kinds.columns_by_name(columns) %}
  {% for key in options.unique_key %}
    {% set column = by_name.get(dbt_kinds.unquoted(key) | lower) %}
    {% do types.append(column.type if column is not none else keys[loop.index0].type if keys else 'string') %}
  {% endfor %}
  {% do return(types) %}
{% endmacro %}


{% macro _check_columns_exist(options, names) %}
  {% set updated = {'merge_update_columns': options.merge_update_columns,
    'merge_exclude_columns': options.merge_exclude_columns, 'when_matched': []} %}
  {% for clause in options.when_matched or [] %}
    {% do updated.when_matched.extend(clause.assignments | map(attribute='column') | map('lower') | list)
      if clause.assignments %}
  {% endfor %}
  {% for option, columns in updated.items() %}
    {% for column in columns if column not in names %}
      {% do dbt_kinds.fail(options.model,
        option ~ " names the column '" ~ column ~ "', and the query has " ~ names | join(', ')) %}
    {% endfor %}
  {% endfor %}
{% endmacro %}


{% macro _key_clauses(options, columns) %}
  {% set assignments = [] %}
  {% for column in dbt_kinds.quoted_names(columns) %}
    {% do assignments.append({'column': column, 'expression': '__kinds_row.' ~ column}) %}
  {% endfor %}
  {% if options.when_matched is not none %}
    {% set clauses = options.when_matched %}
  {% else %}
    {% set clauses = [] if options.insert_only or not columns
      else [{'condition': none, 'action': 'update', 'assignments': none}] %}
  {% endif %}
  {% set complete = [] %}
  {% for clause in clauses %}
    {% set conditions, given = [], [] %}
    {% for condition in [clause.condition, options.merge_filter] | select %}
      {% do conditions.append(dbt_kinds._of_new_row(condition)) %}{% endfor %}
    {% for assignment in clause.assignments or [] %}
      {% do given.append(dict(assignment, column=dbt_kinds.quoted(assignment.column),
        expression=dbt_kinds._of_new_row(assignment.expression))) %}{% endfor %}
    {% do complete.append({
      'condition': '(' ~ conditions | join(') and (') ~ ')' if conditions else none,
      'action': clause.action, 'assignments': [] if clause.action == 'delete' else given or assignments,
    }) %}
  {% endfor %}
  {% do return(complete) %}
{% endmacro %}


{# An expression of the model with its alias of the new row renamed: a table may have a column called `source`. #}
{% macro _of_new_row(expression) %}
  {% do return(dbt_kinds.replace_alias(expression, {'source': '__kinds_row'})) %}
{% endmacro %}


{# dbt's merge_update_columns and merge_exclude_columns. #}
{% macro _updated_columns(options, columns) %}
  {% set updated = [] %}
  {% for column in columns if column.name | lower not in options.merge_exclude_columns %}
    {% do updated.append(column) if not options.merge_update_columns
      or column.name | lower in options.merge_update_columns %}
  {% endfor %}
  {% do return(updated) %}
{% endmacro %}


{# With a column that Spark cannot compare, every row counts as changed. #}
{% macro _equality(options, updated) %}
  {% if not options.update_only_changed or dbt_kinds.has_incomparable(updated) %}
    {% do return(none) %}
  {% endif %}
  {% set equal = [] %}
  {% for column in dbt_kinds.quoted_names(updated) %}
    {% do equal.append('target.' ~ column ~ ' <=> __kinds_row.' ~ column) %}
  {% endfor %}
  {% do return(equal | join(' and ') or none) %}
{% endmacro %}


{#
  The write spec with the time variables of its clauses in the types of what they are compared with. Raises before
  anything is written if the session's time zone would make other instants of them. Asks Spark only if there are any.
#}
{% macro with_typed_clauses(options, write_spec) %}
  {% set texts, selected = [], [] %}
  {% for clause in write_spec.clauses %}
    {% if '/*kinds:' in (clause.condition or '') %}
      {% do texts.append(clause.condition) %}
      {% do selected.append(clause.condition) %}
    {% endif %}
    {% for assignment in clause.assignments if '/*kinds:' in assignment.expression %}
      {% set column = dbt_kinds.find_column(write_spec.schema, dbt_kinds.unquoted(assignment.column)) %}
      {% do texts.append(assignment.expression) %}
      {% do selected.append('cast(' ~ assignment.expression ~ ' as '
        ~ dbt_kinds.sql_type(column.type) ~ ')') %}
    {% endfor %}
  {% endfor %}
  {% if not texts %}
    {% do return(write_spec) %}
  {% endif %}
  {% set rows = dbt_kinds.empty_rows(write_spec.schema) %}
  {% set part = 'its ' ~ (['when_matched' if options.when_matched is not none else '',
    'merge_filter' if options.merge_filter is not none else ''] | select | join(' or ')) %}
  {% set found = dbt_kinds.typed_parts(options, part, texts,
    'select ' ~ selected | join(', ') ~ ' from ' ~ rows ~ ' as target cross join (select struct(*) as __kinds_row from '
      ~ rows ~ ')') %}
  {% set typed, clauses = {}, [] %}
  {% for text in texts %}{% do typed.update({text: found[loop.index0]}) %}{% endfor %}
  {% for clause in write_spec.clauses %}
    {% set assignments = [] %}
    {% for assignment in clause.assignments %}
      {% do assignments.append(dict(assignment, expression=typed.get(assignment.expression, assignment.expression))) %}
    {% endfor %}
    {% do clauses.append(dict(clause, condition=typed.get(clause.condition, clause.condition),
      assignments=assignments)) %}
  {% endfor %}
  {% do return(dict(write_spec, clauses=clauses)) %}
{% endmacro %}


{# The write spec for one batch: time variables in merge_filter and when_matched refer to its window, as in the query.
   Pure. #}
{% macro write_spec_in_window(write_spec, window, execution_time) %}
  {% if '/*kinds:' not in write_spec.clauses | string %}
    {% do return(write_spec) %}
  {% endif %}
  {% set clauses = [] %}
  {% for clause in write_spec.clauses %}
    {% set assignments = [] %}
    {% for assignment in clause.assignments %}
      {% do assignments.append(dict(assignment,
        expression=dbt_kinds.substitute_window(assignment.expression, window, execution_time))) %}
    {% endfor %}
    {% set condition = dbt_kinds.substitute_window(clause.condition, window, execution_time) if clause.condition
      else none %}
    {% do clauses.append(dict(clause, condition=condition, assignments=assignments)) %}
  {% endfor %}
  {% do return(dict(write_spec, clauses=clauses)) %}
{% endmacro %}
