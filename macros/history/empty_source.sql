{#
  A query without rows closes every version if hard deletes are invalidated. It is recognized by its changes: they close
  as many versions as are open, and nothing else;
  the table is only asked if a batch does nothing but close versions.
#}


{# Whether empty_source keeps open the versions that a batch would close. Raises if it is to be an error; warns if it is
   not set. #}
{% macro stays_open(relation, run_context, batch, counts) %}
  {% set options, closed = run_context.options, counts.closed + counts.dropped %}
  {% if not closed or options.empty_source == 'delete' or counts.inserted or counts.replaced
      or counts.get('undated_rows') %}
    {% do return(false) %}
  {% endif %}
  {% if dbt_kinds.query_rows('select count(*) as number from ' ~ relation ~ ' where ' ~ run_context.write_spec.valid_to
      ~ ' is null')[0].number != closed %}
    {% do return(false) %}
  {% endif %}
  {% set words = 'the query returned no rows in the batch ' ~ batch | join(' to ') ~ ', ' %}
  {% set versions = dbt_kinds.counted(closed, 'open version', 'open versions') ~ ' of ' ~ options.relation %}
  {% if options.empty_source == 'error' %}
    {% do dbt_kinds.refuse_empty_source(relation, options, batch) %}
  {% elif options.empty_source == 'keep' %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ words ~ 'and empty_source: keep leaves ' ~ versions
      ~ ' as they are', info=true) %}
    {% do return(true) %}
  {% endif %}
  {% do dbt_kinds.warn(options.model,
    words ~ 'which closes ' ~ versions
      ~ '; set empty_source: keep to leave them open, error to stop, or delete if that is meant') %}
  {% do return(false) %}
{% endmacro %}


{# Raises because a batch would close every version. #}
{% macro refuse_empty_source(relation, options, batch) %}
  {% do dbt_kinds.drop_stages(relation) %}
  {% do dbt_kinds.fail(options.model,
    'the query returned no rows in the batch ' ~ batch | join(' to ') ~ ', and every open version of '
      ~ options.relation
    ~ ' would be closed; if the source is meant to be empty, set empty_source: delete, or empty_source: keep to leave the versions open') %}
{% endmacro %}
