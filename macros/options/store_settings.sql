{#
  The settings of the interval store from the run's variables:
  `{schema, is_shared, format, lease_seconds, compact, claim_ahead}`. `is_shared` if one schema holds the store of every
  target; `format` and `claim_ahead` are none if nothing is said. Pure except for reading the context.
#}
{% macro store_settings() %}
  {% set schema = var('kinds_store_schema', none) %}
  {% set file_format = var('kinds_store_format', none) %}
  {% if file_format not in [none, 'hive', 'iceberg', 'delta'] %}
    {% do dbt_kinds.fail('the interval store',
      "kinds_store_format '" ~ file_format ~ "' is not hive, iceberg or delta") %}
  {% endif %}
  {% set compact = var('kinds_compact', 'auto') %}
  {% if compact not in ['auto', 'never'] %}
    {% do dbt_kinds.fail('the interval store', "kinds_compact '" ~ compact ~ "' is neither auto nor never") %}
  {% endif %}
  {% set claim_ahead = var('kinds_claim_ahead', none) %}
  {% do return({
    'schema': schema or target.schema, 'is_shared': schema is not none, 'format': file_format, 'compact': compact,
    'lease_seconds': dbt_kinds.whole_number('the interval store', 'kinds_lease_seconds',
      var('kinds_lease_seconds', 3600), 1),
    'claim_ahead': dbt_kinds.whole_number('the interval store', 'kinds_claim_ahead', claim_ahead, 0)
      if claim_ahead is not none else none,
  }) %}
{% endmacro %}
