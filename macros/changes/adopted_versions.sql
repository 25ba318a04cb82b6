{#
  The versions from which the next run of a model with `capture: snapshot` goes on once its table is adopted, for its
  record: those that the tables it reads have now. none for other models. Asks Spark.
#}
{% macro adopted_versions(node, options) %}
  {% if options.get('capture') != 'snapshot' %}
    {% do return(none) %}
  {% endif %}
  {# an operation has no compiled query: all tables that the model is known to read, of which it may capture any #}
  {% set nodes = dbt_kinds.tables_read(node, none) %}
  {% set now = dbt_kinds.table_versions(node, nodes, '') %}
  {% for name, read in nodes.items()
      if now.get(name, '') is none and read.resource_type == 'model'
      and read.config.materialized in dbt_kinds.kinds() %}
    {# it may be adopted next, which is no change #}
    {% do now.update({name: 'recorded never'}) %}
  {% endfor %}
  {% if options.traits.appends_rows and not dbt_kinds._keeps_versions(now) %}
    {% do dbt_kinds.check_captured(options, now, now) %}
  {% endif %}
  {% do return({'versions': now}) %}
{% endmacro %}


{# Whether rows that any of some tables held earlier can be read. #}
{% macro _keeps_versions(versions) %}
  {% for version in versions.values() if version is not none and version.split(' ')[0] in ['iceberg', 'delta'] %}
    {% do return(true) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{#
  What adopt records of a model with `capture`: the interval that a run would record now. Nothing, if its last load says
  where the next run goes on; one that an operation recorded does not, if the model goes by versions.
#}
{% macro adopted_capture(options, until) %}
  {% set position = 'what its sources are now' if options.capture == 'snapshot'
    else 'the greatest ' ~ options.cursor ~ ' of its table' %}
  {% if until is not none %}
    {% do dbt_kinds.fail(options.model,
      'a model with capture: ' ~ options.capture ~ ' goes on from ' ~ position
        ~ ', so until does not apply; bring the table up to date, and adopt it without until') %}
  {% endif %}
  {% set latest = dbt_kinds.latest_load(dbt_kinds.loads_of(options.relation)) %}
  {% if latest is not none and (options.capture == 'cursor' or latest.model_hash
      or dbt_kinds.recorded_versions(options, latest) is not none) %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': nothing to adopt: it is recorded where the next run goes on',
      info=true) %}
    {% do return([]) %}
  {% endif %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': the next run goes on from ' ~ position
    ~ '; rows that came before have to be in the table already', info=true) %}
  {% do return(dbt_kinds.plan_everything(options, [], dbt_kinds.run_settings(options.model)).batches) %}
{% endmacro %}
