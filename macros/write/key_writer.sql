{#
  For writes by key: see table_writer; and with `source_keys` and `target_keys`, the key's SQL for a new row and for a stored one, `is_same`,
  the condition that both are of one key, and `clauses`, what happens to a row that is there, the first that applies.
#}
{% macro key_writer(options, query_columns, existing, query) %}
  {% set writer = dbt_kinds.table_writer(options, query_columns, existing, options.partition_by) %}
  {% set names = writer.schema | map(attribute='name') | list %}
  {% do dbt_kinds._check_keys_exist(options, query) %}
  {% do dbt_kinds._check_columns_exist(options, names | map('lower') | list) %}
  {% set source_keys, target_keys, is_same = [], [], [] %}
  {% for key in options.unique_key %}
    {% do source_keys.append('(' ~ dbt_kinds.qualify_columns(key, 'source', names) ~ ')') %}
    {% do target_keys.append('(' ~ dbt_kinds.qualify_columns(key, 'target', names) ~ ')') %}
    {% do is_same.append(target_keys[-1] ~ (' <=> ' if options.null_keys == 'match' else ' = ') ~ source_keys[-1]) %}
  {% endfor %}
  {% do return(dict(
    writer, source_keys=source_keys, target_keys=target_keys, is_same=is_same | join(' and '), clauses=dbt_kinds._key_clauses(options, writer.schema)
  )) %}
{% endmacro %}


{# Spark's own words, early, for a key or an order that the query does not have. #}
{% macro _check_keys_exist(options, query) %}
  {% do run_query('describe query select (' ~ (options.unique_key + options.order_by) | join('), (') ~ ') from (\n' ~ query ~ '\n)') %}
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
  {% set all_columns, differences = [], [] %}
  {% for column in columns %}
    {% set quoted = adapter.quote(column.name) %}
    {% if (not options.merge_update_columns or column.name | lower in options.merge_update_columns)
        and column.name | lower not in options.merge_exclude_columns %}
      {% do all_columns.append({'column': column.name, 'expression': 'source.' ~ quoted}) %}
      {# maps cannot be compared: such rows count as changed #}
      {% do differences.append('true' if 'map<' in column.type else 'not (target.' ~ quoted ~ ' <=> source.' ~ quoted ~ ')') %}
    {% endif %}
  {% endfor %}
  {% if options.insert_only or not all_columns %}
    {% set clauses = [] %}
  {% elif options.when_matched is not none %}
    {% set clauses = options.when_matched %}
  {% else %}
    {% set changed = 'true' if 'true' in differences else differences | join(' or ') %}
    {% set clauses = [{'condition': changed if options.update_only_changed and changed != 'true' else none, 'action': 'update', 'assignments': none}] %}
  {% endif %}
  {% set complete = [] %}
  {% for clause in clauses %}
    {% set conditions = [clause.condition, options.merge_filter] | select | list %}
    {% do complete.append({
      'name': clause.action ~ ' ' ~ loop.index,
      'condition': '(' ~ conditions | join(') and (') ~ ')' if conditions else none,
      'action': clause.action, 'assignments': clause.assignments or all_columns,
    }) %}
  {% endfor %}
  {% do return(complete) %}
{% endmacro %}
