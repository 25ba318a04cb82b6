{# Where the interval store is. One table for all models of a target. #}
{% macro store_table() %}
  {% do return(api.Relation.create(
    database=target.get('database') or target.get('catalog'), schema=var('kinds_store_schema', target.schema), identifier='dbt_kinds_intervals'
  )) %}
{% endmacro %}


{#
  Its columns, in order, one row an event: `loaded` and `invalidated` make the coverage; `claimed`, `released` and
  `failed` tell of a run's lease; `pending` and `settled` of a write that must not be done twice; `audit_failed` and `audit_warned` of
  a batch that was refused, or published with a warning.
  Instants are text: a Hive text table writes timestamps in the session's time zone.
#}
{% macro store_columns() %}
  {% do return({
    'event': 'string', 'relation': 'string', 'interval_start': 'string', 'interval_end': 'string', 'recorded_at': 'string',
    'execution_time': 'string', 'invocation_id': 'string', 'model': 'string', 'kind': 'string', 'model_hash': 'string',
    'rows_written': 'bigint', 'seconds': 'double', 'snapshot_id': 'bigint', 'started_at': 'string',
    'lease_seconds': 'bigint', 'holder': 'string', 'source': 'string', 'message': 'string', 'details': 'string',
  }) %}
{% endmacro %}


{# The events that tell of a run's lease, not of its table. Pure. #}
{% macro lease_events() %}
  {% do return(['claimed', 'released', 'failed']) %}
{% endmacro %}


{# Those that tell of a write that must not be done twice. Pure. #}
{% macro write_events() %}
  {% do return(['pending', 'settled']) %}
{% endmacro %}


{# Those that tell what audits found. Pure. #}
{% macro findings_events() %}
  {% do return(['audit_failed', 'audit_warned']) %}
{% endmacro %}


{#
  Created by the first append, also by several at once. Never Parquet: concurrent appends of four threads lost 13 of 40
  rows there (measured on Spark 3.5.9), none in Hive text.
#}
{% macro create_store(store) %}
  {% set store_format = var('kinds_store_format', 'delta' if adapter.type() == 'databricks' else 'hive') %}
  {% if store_format not in ['hive', 'iceberg', 'delta'] %}
    {% do exceptions.raise_compiler_error("dbt_kinds: kinds_store_format '" ~ store_format ~ "' is not hive, iceberg or delta") %}
  {% endif %}
  {% do adapter.create_schema(store) %}
  {% call statement('create_store') %}
create table if not exists {{ store }} (
{%- for name, type in dbt_kinds.store_columns().items() %}
  {{ name }} {{ type }}{{ ',' if not loop.last }}
{%- endfor %}
)
{% if store_format == 'hive' -%}
row format delimited fields terminated by '\u0001' stored as textfile
{%- elif store_format == 'iceberg' -%}
using iceberg
{#- any number of runs append; none of them is ever in another's way, so each tries again until it is through #}
tblproperties (
  'commit.retry.num-retries' = '1000', 'commit.retry.min-wait-ms' = '20', 'commit.retry.max-wait-ms' = '2000'
)
{%- else -%}
using {{ store_format }}
{%- endif %}
  {% endcall %}
{% endmacro %}
