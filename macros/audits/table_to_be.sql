{# SQL in parentheses: the table as it would be after publishing the staged rows of a batch, without the rows they
   replace. #}
{% macro table_to_be(relation, run_context, batch, stage) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if write_spec.writes_whole_table and batch == run_context.plan.batches[0]
      or (run_context.start_anew and not run_context.get('is_prepared')) %}
    {% do return('(select * from ' ~ stage ~ ') kinds_table') %}
  {% endif %}
  {# columns that the first batch will add exist after it #}
  {% set selected = write_spec.columns if run_context.get('is_prepared') or run_context.existing is none
    else dbt_kinds.selected_columns(run_context.existing.columns, write_spec.schema) %}
  {% set stored = '(select ' ~ selected | join(', ') ~ ' from ' ~ relation ~ ')' %}
  {% set changes = dbt_kinds._changes_to_be(relation, run_context, batch, stored, stage) %}
  {% if changes is not none %}
    {% do return('(' ~ dbt_kinds.changed_table(stored, write_spec, changes) ~ ') kinds_table') %}
  {% endif %}
  {% set untouched -%}
select {{ write_spec.columns | join(', ') }} from {{ stored }} as target
  {%- if write_spec.get('bounds') is not none %}
where not coalesce({{ dbt_kinds.range_condition(write_spec.time_column, write_spec.bounds, batch) }}, false)
  {%- elif options.traits.replaces_partitions %}
left anti join (select distinct {{ dbt_kinds._partition_values(options, write_spec) | join(', ') }} from {{ stage }})
  as replaced
on {% for value in dbt_kinds._partition_values(options, write_spec, 'target.') -%}
  {{ value }} <=> replaced.value_{{ loop.index }}{{ ' and ' if not loop.last }}
{%- endfor %}
  {%- endif %}
  {%- endset %}
  {% do return('(' ~ untouched ~ '\nunion all\nselect ' ~ write_spec.columns | join(', ') ~ ' from ' ~ stage
    ~ ') kinds_table') %}
{% endmacro %}


{# The changes that a batch will make, for kinds that change rows; none for others. #}
{% macro _changes_to_be(relation, run_context, batch, stored, stage) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if options.get('duplicate_keys') == 'replace_all' %}
    {% do return(dbt_kinds.changes_of_keys(write_spec,
      '(' ~ dbt_kinds.replacing_actions(stored, options, write_spec, stage) ~ ')')) %}
  {% elif options.traits.row_key == 'unique_key' %}
    {% set keyed = dbt_kinds.write_spec_in_window(write_spec, dbt_kinds.query_window(options, batch),
      run_context.plan.execution_time) %}
    {% do return(dbt_kinds.changes_by_key(stored, options, keyed, stage)) %}
  {% elif options.traits.row_key == 'group' %}
    {% do return(dbt_kinds.changes_of_groups(write_spec,
      '(' ~ dbt_kinds.group_actions(write_spec, stage, dbt_kinds.stored_groups(relation, run_context)) ~ ')')) %}
  {% elif options.traits.numbers_by_run %}
    {# any number will do: the real one is not known until the batch has passed #}
    {% set actions = '(' ~ dbt_kinds.history_changes(options, write_spec, stored, stage, 1) ~ ')' %}
    {% do return(dbt_kinds.changes_of_history(write_spec, actions,
      {'inserted': 1, 'closed': 1, 'replaced': 0, 'dropped': 0})) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# SQL: the expressions that identify a partition, for a row of the stage with names, for a row of the table without. #}
{% macro _partition_values(options, write_spec, table=none) %}
  {% set values = [] %}
  {% for field in write_spec.partitioning %}
    {% set call = dbt_kinds.full_match('([A-Za-z]+)\\s*[(]\\s*([\\s\\S]+?)\\s*[)]', field | trim) %}
    {% set unit = {'year': 'year', 'month': 'month', 'day': 'day', 'date': 'day',
      'hour': 'hour'}.get(modules.re.sub('s$', '', call.group(1) | lower)) if call is not none else none %}
    {% if unit is none and dbt_kinds.is_partition_function(field) %}
      {% do dbt_kinds.fail(options.model,
        "an audit with over: table has to know which rows are replaced, and the partitions of " ~ field
          ~ ' cannot be told from SQL; leave over out, or partition by columns') %}
    {% endif %}
    {% set name = dbt_kinds.unquoted(call.group(2) if unit is not none else field) %}
    {% set column = (table or '') ~ dbt_kinds.quoted(name) %}
    {% set value = column if unit is none
      else dbt_kinds._truncated(column, unit, (dbt_kinds.find_column(write_spec.schema, name) or {}).get('type')) %}
    {% do values.append(value if table is not none else value ~ ' as value_' ~ loop.index) %}
  {% endfor %}
  {% do return(values) %}
{% endmacro %}


{# SQL: the year, month, day or hour of a time column. Iceberg takes those of a timestamp in UTC, date_trunc in the
   session's time zone. #}
{% macro _truncated(column, unit, type) %}
  {% if type == 'timestamp' and unit == 'hour' %}
    {% do return('floor(unix_seconds(' ~ column ~ ') / 3600)') %}
  {% endif %}
  {% set day = "date_add(date '1970-01-01', cast(floor(unix_seconds(" ~ column ~ ') / 86400) as int))' %}
  {% do return("date_trunc('" ~ unit ~ "', " ~ (day if type == 'timestamp' else column) ~ ')') %}
{% endmacro %}
