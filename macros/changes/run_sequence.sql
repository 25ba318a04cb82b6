{#
  The number at which versions of this run begin: one more than the greatest in the store, and the same for all models
  of a run. It exceeds all numbers in a table, even if two runs overlapped or one died before its record.
#}
{% macro run_sequence(relation, run_context) %}
  {% set known = dbt_kinds.run_memory('sequence') %}
  {% if not known %}
    {% set numbers = "select max(cast(get_json_object(details, '$.sequence') as bigint)) as greatest from "
      ~ dbt_kinds.store_source() ~ " where event = 'loaded'" %}
    {% do known.update({'sequence': (dbt_kinds.query_rows(numbers)[0].get('greatest') or 0) + 1}) %}
  {% endif %}
  {% if run_context.start_anew %}
    {% do return(known.sequence) %}
  {% endif %}
  {% set from_, to = dbt_kinds.quoted(run_context.options.valid_from_name),
    dbt_kinds.quoted(run_context.options.valid_to_name) %}
  {% set held = dbt_kinds.query_rows('select greatest(max(' ~ from_ ~ '), max(' ~ to ~ ')) as greatest from '
    ~ relation)[0].get('greatest') or 0 %}
  {% do return([known.sequence, held + 1] | max) %}
{% endmacro %}
