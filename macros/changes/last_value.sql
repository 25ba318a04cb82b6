{#
  The greatest value of the model's `cursor` in its table, or `cursor_initial` on a backfill and while there is none: a
  typed literal, for the query of a model with a cursor. Outside a run it is `cursor_initial`.
#}
{% macro last_value() %}
  {% set meta = dbt_kinds.meta_of(model) if model is defined and model.config is defined else {} %}
  {% do return('/*kinds:last_value*/(' ~ dbt_kinds.text_literal(meta.get('cursor_initial', '1970-01-01T00:00:00Z'))
    ~ ')') %}
{% endmacro %}


{# The execution time of the model's last recorded run, as a timestamp; 1970 if there is none. #}
{% macro last_run() %}
  {% do return("/*kinds:last_run*/(timestamp '1970-01-01 00:00:00+00:00')") %}
{% endmacro %}


{# Whether this run rebuilds the table, true or false, for the query of a kind that is driven by changes. #}
{% macro is_backfill() %}
  {% do return('/*kinds:is_backfill*/(false)') %}
{% endmacro %}


{# A query with the values of these three for this run. `values` is name -> SQL. Pure. #}
{% macro with_run_values(values, sql) %}
  {% set query = namespace(sql=sql) %}
  {% for name, value in values.items() if value is not none %}
    {% set query.sql = modules.re.sub('/[*]kinds:' ~ name
      ~ "[*]/[(](?:'(?:[^'\\\\]|\\\\.)*'|timestamp '[^']*'|false)[)]", '(' ~ value | replace('\\', '\\\\') ~ ')',
      query.sql) %}
  {% endfor %}
  {% do return(query.sql) %}
{% endmacro %}


{# Whether a run starts from nothing; replacing a table that every run replaces does not count. Pure. #}
{% macro begins_anew(options, plan, settings, is_there) %}
  {% if is_there and options.traits.replaces_table %}
    {% do return(plan.get('run_type', 'backfill' if settings.full_refresh else 'full') == 'backfill') %}
  {% endif %}
  {% do return(not is_there or plan.start_anew) %}
{% endmacro %}


{# Their values in this run. #}
{% macro run_values(run_context) %}
  {% if '/*kinds:' not in compiled_code %}
    {% do return({}) %}
  {% endif %}
  {% set runs = dbt_kinds.loads_of(run_context.options.relation) | map(attribute='execution_time') | select | list %}
  {% set note = dbt_kinds.last_note(run_context.options.relation) %}
  {% do runs.append(note.execution_time) if runs and note is not none %}
  {% do return({
    'last_value': run_context.write_spec.get('last_value'),
    'last_run': dbt_kinds.time_literal('dt', runs | max) if runs else none,
    'is_backfill': 'true' if run_context.is_backfill else 'false',
  }) %}
{% endmacro %}


{#
  SQL: where a run with a cursor begins, with the column's type in the query. Asks the table, or checks that
  `cursor_initial` can have that type.
#}
{% macro cursor_position(options, query_columns, existing) %}
  {% set column = dbt_kinds.find_column(query_columns, options.cursor) %}
  {% if column is none %}
    {% do dbt_kinds.fail(options.model,
      'ColumnNotInOutput: the query has no column ' ~ options.cursor ~ ', which cursor names; it has '
        ~ query_columns | map(attribute='name') | join(', ')
        ~ '; select it, or name one of them') %}
  {% endif %}
  {% set is_instant, name = column.type == 'timestamp', dbt_kinds.quoted(column.name) %}
  {% set type = dbt_kinds.sql_type(column.type) %}
  {% if existing is not none and dbt_kinds.find_column(existing.columns, options.cursor) is not none %}
    {# a string would be read in the session's time zone, where an hour may occur twice #}
    {% set greatest = 'unix_micros(max(' ~ name ~ '))' if is_instant else 'cast(max(' ~ name ~ ') as string)' %}
    {% set found = dbt_kinds.query_rows('select ' ~ greatest ~ ' as greatest from ' ~ this)[0].get('greatest') %}
    {% if found is not none %}
      {% do return('timestamp_micros(' ~ found ~ ')' if is_instant
        else 'cast(' ~ dbt_kinds.text_literal(found) ~ ' as ' ~ type ~ ')') %}
    {% endif %}
  {% endif %}
  {% set initial = dbt_kinds.text_literal(options.cursor_initial) %}
  {% if not dbt_kinds.query_rows('select try_cast(' ~ initial ~ ' as ' ~ type
      ~ ') is not null as fits')[0].fits %}
    {% do dbt_kinds.fail(options.model,
      'cursor_initial ' ~ initial ~ ' cannot be compared with the column ' ~ options.cursor ~ ', which is '
        ~ column.type ~ '; set cursor_initial to a value below all of its values') %}
  {% endif %}
  {% do return('cast(' ~ initial ~ ' as ' ~ type ~ ')') %}
{% endmacro %}
