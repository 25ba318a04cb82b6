{# What a run begins with, as planners take it: `{found, is_there, afresh, sql, loads, settings, model_hash}`; `found` is what stands where the table belongs, none if nothing does. #}
{% macro begun_run(options, settings, afresh) %}
  {% set found = dbt_kinds.relation_type(this, afresh) %}
  {% if found != 'table' and not afresh and dbt_kinds.events_of(options.relation) %}
    {# the schema was listed before the store was read #}
    {% set found = dbt_kinds.relation_type(this, afresh=true) %}
  {% endif %}
  {% do dbt_kinds.forget_source_facts() if afresh %}
  {% if afresh and found == 'table' %}
    {% call statement('refresh_table') %}refresh table {{ this }}{% endcall %}
  {% endif %}
  {% set sql = dbt_kinds[options.traits.query](options) %}
  {% do return({
    'found': found, 'is_there': found == 'table', 'afresh': afresh, 'sql': sql, 'loads': dbt_kinds.loads_of(options.relation) if found == 'table' else [],
    'settings': settings, 'model_hash': dbt_kinds.model_hash(options, sql),
  }) %}
{% endmacro %}


{# The model's query. #}
{% macro compiled_query(options) %}
  {% do return(dbt_kinds.one_query(options.model, compiled_code)) %}
{% endmacro %}
