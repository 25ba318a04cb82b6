{# The relation of the interval store. One table for all models of a target. #}
{% macro store_table() %}
  {% do return(api.Relation.create(
    database=target.get('database') or target.get('catalog'), schema=dbt_kinds.store_settings().schema,
    identifier='dbt_kinds_intervals'
  )) %}
{% endmacro %}


{# The table beside it that a compaction or a conversion of it makes: `compacted`; `converted`, its copy in another
   format, and `before`, the old store until the new one has all its rows. #}
{% macro beside_store(role) %}
  {% set store = dbt_kinds.store_table() %}
  {% do return(store.incorporate(path={'identifier': store.identifier ~ '_' ~ role})) %}
{% endmacro %}


{#
  Its columns, in order, one row per event: `loaded` and `invalidated` make up the coverage; `claimed`, `released`
  and `failed` describe a run's lease, or a run that failed before it had one (refusals.sql); `pending` and `settled` a
  write that must not be repeated (and a `settled` one what a run saw that wrote nothing: last_note.sql); `audit_failed`
  and `audit_warned` a batch that was refused, or published with a warning.
  Instants are strings: a Hive text table writes timestamps in the session's time zone.
#}
{% macro store_columns() %}
  {% do return({
    'event': 'string', 'relation': 'string', 'interval_start': 'string', 'interval_end': 'string',
    'recorded_at': 'string',
    'execution_time': 'string', 'invocation_id': 'string', 'model': 'string', 'kind': 'string', 'model_hash': 'string',
    'rows_written': 'bigint', 'seconds': 'double', 'snapshot_id': 'bigint', 'started_at': 'string',
    'lease_seconds': 'bigint', 'holder': 'string', 'source': 'string', 'message': 'string', 'details': 'string',
  }) %}
{% endmacro %}


{# The event types of a run's lease. Pure. #}
{% macro lease_events() %}
  {% do return(['claimed', 'released', 'failed']) %}
{% endmacro %}


{# The event types of a write that must not be repeated. Pure. #}
{% macro write_events() %}
  {% do return(['pending', 'settled']) %}
{% endmacro %}


{# The event types of audit findings. Pure. #}
{% macro findings_events() %}
  {% do return(['audit_failed', 'audit_warned']) %}
{% endmacro %}


{# Creates the store at the first append; several runs may do so at once. One beside it is of its format. #}
{% macro create_store(store, file_format=none) %}
  {% do dbt_kinds.create_log(store, dbt_kinds.store_columns(), file_format=file_format) %}
{% endmacro %}
