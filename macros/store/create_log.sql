{#
  Creates a table that any number of runs append to: the store and the logs beside it; `columns` and `partitions` are name -> type. Never Parquet: concurrent appends of four threads lost 13
  of 40 rows there (measured on Spark 3.5.9), none in Hive text.
#}
{% macro create_log(relation, columns, partitions={}) %}
  {% set store_format = dbt_kinds.store_settings().format %}
  {% set columns = columns if store_format == 'hive' else dict(columns, **partitions) %}
  {% set partitioned = [] %}
  {% for name, type in partitions.items() %}
    {% do partitioned.append(name ~ (' ' ~ type if store_format == 'hive' else '')) %}
  {% endfor %}
  {% do adapter.create_schema(relation) %}
  {% call statement('create_log') %}
create table if not exists {{ relation }} (
{%- for name, type in columns.items() %}
  {{ name }} {{ type }}{{ ',' if not loop.last }}
{%- endfor %}
)
{% if store_format != 'hive' %}using {{ store_format }}
{% endif %}
{%- if partitioned %}partitioned by ({{ partitioned | join(', ') }})
{% endif %}
{%- if store_format == 'hive' -%}
row format delimited fields terminated by '\u0001' stored as textfile
{%- elif store_format == 'iceberg' -%}
{#- any number of runs append; appends never conflict, so each retries until it succeeds #}
tblproperties (
  'commit.retry.num-retries' = '1000', 'commit.retry.min-wait-ms' = '20', 'commit.retry.max-wait-ms' = '2000'
)
{%- endif %}
  {% endcall %}
{% endmacro %}
