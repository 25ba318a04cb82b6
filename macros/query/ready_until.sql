{#
  The gate of the option ready_until, as waiting_units takes it: its query returns the instant up to which the sources
  are complete, none if it returns NULL or no row.
  No macro can catch an error of Spark, so the query has an alias that says whose it is: Spark shows it in what it says
  of the query.
#}
{% macro ready_until(node, options) %}
  {% set sql = dbt_kinds.validate_sql_fragment(options.model, 'ready_until', render(options.ready_until)) %}
  {% if '/*kinds:' in sql %}
    {% set settings = dbt_kinds.run_settings(options.model) %}
    {% set sql = dbt_kinds.substitute_window(dbt_kinds.typed_parts(options, 'its ready_until', [sql], sql)[0],
      dbt_kinds.preview_window(node, settings), settings.execution_time) %}
  {% endif %}
  {% set rows = dbt_kinds.query_rows('select * from (\n' ~ sql ~ '\n) as '
    ~ dbt_kinds.quoted('dbt_kinds: model ' ~ options.model ~ ': ready_until')) %}
  {% if rows | length > 1 %}
    {% do dbt_kinds.fail(options.model,
      'ready_until returned ' ~ rows | length
        ~ ' rows, and must return one value; write an aggregate, such as max(loaded_until)') %}
  {% endif %}
  {% set values = rows[0].values() | list if rows else [] %}
  {% if values | length > 1 %}
    {% do dbt_kinds.fail(options.model,
      'ready_until returned ' ~ values | length ~ ' columns, ' ~ rows[0].keys() | join(', ')
        ~ ', and must return one value') %}
  {% endif %}
  {# 9999-12-31, which says that all is complete, is beyond the instants that can be counted with #}
  {% set until = modules.re.sub('^9999-', '9998-', values[0] | string | trim) if values else none %}
  {% do return({'name': 'ready_until',
    'until': dbt_kinds.parse_instant(options.model, 'ready_until', until) if values else none}) %}
{% endmacro %}


{#
  Refuses a ready_until query that names a relation the model does not depend on: dbt does not see names in a model's
  config, and would run the model before the relation it waits for.
#}
{% macro check_ready_until(node, options) %}
  {% set lacking = [] %}
  {% for function, arguments in modules.re.findall('\\b(ref|source)\s*\(([^()]*)\)', options.ready_until) %}
    {% set names = modules.re.findall('[\'"]([^\'"]*)[\'"]', arguments) %}
    {% if names and not dbt_kinds.is_dependency(node, function, names) %}
      {% do lacking.append('{{ ' ~ function ~ "('" ~ names | join("', '") ~ "') }}") %}
    {% endif %}
  {% endfor %}
  {% if lacking %}
    {% do dbt_kinds.fail(options.model,
      'ready_until names what dbt does not know the model to depend on; write as the first line of its query: -- depends_on: '
      ~ lacking | unique | join(' ')) %}
  {% endif %}
{% endmacro %}
