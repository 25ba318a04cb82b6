{#
  What a run begins with, as planners take it: `{found, is_there, refresh, sql, loads, settings}`, and its hash when it
  is asked for (hash_of_run). `found` is what stands where the table belongs, none if nothing does;
  without a table there are no `loads`, whatever the store says.
#}
{% macro begun_run(options, settings, refresh) %}
  {% set found = dbt_kinds.relation_type(this, refresh) %}
  {% if found != 'table' and not refresh and dbt_kinds.events_of(options.relation) %}
    {# the schema was listed before the store was read #}
    {% set found = dbt_kinds.relation_type(this, refresh=true) %}
  {% endif %}
  {% do dbt_kinds.forget_source_facts() if refresh %}
  {% if refresh and found == 'table' %}
    {% call statement('refresh_table') %}refresh table {{ this }}{% endcall %}
  {% endif %}
  {% set sql = dbt_kinds[options.traits.query](options) %}
  {% do return({
    'found': found, 'is_there': found == 'table', 'refresh': refresh, 'sql': sql,
    'loads': dbt_kinds.loads_of(options.relation) if found == 'table' else [],
    'settings': settings,
  }) %}
{% endmacro %}


{# The model's query. #}
{% macro compiled_query(options) %}
  {% do return(dbt_kinds.one_query(options.model, compiled_code)) %}
{% endmacro %}


{# The hash of a run's query and options, computed when it is first asked for; none if the query is unknown. #}
{% macro hash_of_run(options, run) %}
  {% if 'model_hash' not in run %}
    {% do run.update({'model_hash': dbt_kinds.model_hash(options, run.sql) if run.sql is not none else none}) %}
  {% endif %}
  {% do return(run.model_hash) %}
{% endmacro %}
