{#
  For writes by key: see table_writer; plus `source_keys` and `target_keys`, the key's SQL for a new row and for a stored one, `is_same`, the
  condition that both have the same key, `clauses`, of which the first that applies decides what happens to an existing row, and `is_equal`, the
  condition that an update would change nothing, none if every row counts as changed or rows are never updated.
#}
{% macro key_writer(options, query_columns, existing, query, keys=[]) %}
  {% do dbt_kinds.check_keys_compare(options, keys) %}
  {% set writer = dbt_kinds.table_writer(options, query_columns, existing, options.partition_by) %}
  {% set names = writer.schema | map(attribute='name') | list %}
  {% do dbt_kinds._check_columns_exist(options, names | map('lower') | list) %}
  {% set source_keys, target_keys, is_same = [], [], [] %}
  {% for key in options.unique_key %}
    {% do source_keys.append('(' ~ dbt_kinds.qualify_columns(key, 'source', names) ~ ')') %}
    {% do target_keys.append('(' ~ dbt_kinds.qualify_columns(key, 'target', names) ~ ')') %}
    {% do is_same.append(target_keys[-1] ~ (' <=> ' if options.null_keys == 'match' else ' = ') ~ source_keys[-1]) %}
  {% endfor %}
  {% set clauses = dbt_kinds._key_clauses(options, dbt_kinds._updated_columns(options, writer.schema)) %}
  {% do return(dict(
    writer, replaces_table=existing is none, source_keys=source_keys, target_keys=target_keys, is_same=is_same | join(' and '), clauses=clauses,
    is_equal=dbt_kinds._equality(options, writer.schema) if clauses else none
  )) %}
{% endmacro %}


{% macro _check_columns_exist(options, names) %}
  {% set updated = {'merge_update_columns': options.merge_update_columns, 'merge_exclude_columns': options.merge_exclude_columns, 'when_matched': []} %}
  {% for clause in options.when_matched or [] %}
    {% do updated.when_matched.extend(clause.assignments | map(attribute='column') | map('lower') | list) if clause.assignments %}
  {% endfor %}
  {% for option, columns in updated.items() %}
    {% for column in columns if column not in names %}
      {% do dbt_kinds.fail(options.model, option ~ " names the column '" ~ column ~ "', and the query has " ~ names | join(', ')) %}
    {% endfor %}
  {% endfor %}
{% endmacro %}


{% macro _key_clauses(options, columns) %}
  {% set assignments = [] %}
  {% for column in columns %}
    {% do assignments.append({'column': column.name, 'expression': 'source.' ~ dbt_kinds.quoted(column.name)}) %}
  {% endfor %}
  {% if options.when_matched is not none %}
    {% set clauses = options.when_matched %}
  {% else %}
    {% set clauses = [] if options.insert_only or not columns else [{'condition': none, 'action': 'update', 'assignments': none}] %}
  {% endif %}
  {% set complete = [] %}
  {% for clause in clauses %}
    {% set conditions = [clause.condition, options.merge_filter] | select | list %}
    {% do complete.append({
      'name': clause.action ~ ' ' ~ loop.index,
      'condition': '(' ~ conditions | join(') and (') ~ ')' if conditions else none,
      'action': clause.action, 'assignments': clause.assignments or assignments,
    }) %}
  {% endfor %}
  {% do return(complete) %}
{% endmacro %}


{# dbt's merge_update_columns and merge_exclude_columns. #}
{% macro _updated_columns(options, columns) %}
  {% set updated = [] %}
  {% for column in columns if column.name | lower not in options.merge_exclude_columns %}
    {% do updated.append(column) if not options.merge_update_columns or column.name | lower in options.merge_update_columns %}
  {% endfor %}
  {% do return(updated) %}
{% endmacro %}


{# Maps cannot be compared: with one, every row counts as changed. #}
{% macro _equality(options, columns) %}
  {% set equal = [] %}
  {% for column in dbt_kinds._updated_columns(options, columns) %}
    {% if 'map<' in column.type or not options.update_only_changed %}
      {% do return(none) %}
    {% endif %}
    {% do equal.append('target.' ~ dbt_kinds.quoted(column.name) ~ ' <=> source.' ~ dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% do return(equal | join(' and ') or none) %}
{% endmacro %}


{# The writer for one batch: time variables in merge_filter and when_matched refer to its window, as in the query. Pure. #}
{% macro writer_in_window(writer, window, execution_time) %}
  {% set clauses = [] %}
  {% for clause in writer.clauses %}
    {% set assignments = [] %}
    {% for assignment in clause.assignments %}
      {% do assignments.append(dict(assignment, expression=dbt_kinds.substitute_window(assignment.expression, window, execution_time))) %}
    {% endfor %}
    {% set condition = dbt_kinds.substitute_window(clause.condition, window, execution_time) if clause.condition else none %}
    {% do clauses.append(dict(clause, condition=condition, assignments=assignments)) %}
  {% endfor %}
  {% do return(dict(writer, clauses=clauses)) %}
{% endmacro %}
