{#
  Creates a table that any number of runs append to: the store and the logs beside it; `columns` and `partitions` are
  name -> type, and the format is that of _log_format unless it is given. Never Parquet: concurrent appends of four
  threads lost 13 of 40 rows there (measured on Spark 3.5.9), none in Hive text.

  One thread of one run creates it, and the others wait until it is there: on Delta, of several that create one table at
  the same time all but one fail, `if not exists` or not.
#}
{% macro create_log(relation, columns, partitions={}, file_format=none) %}
  {% do adapter.create_schema(relation) %}
  {% set file_format = file_format or dbt_kinds._log_format() %}
  {% set is_elected_for = dbt_kinds._is_elected_for(file_format) %}
  {% set is_first = dbt_kinds._may_create(relation, is_elected_for) %}
  {% if is_first or not dbt_kinds._is_created_meanwhile(relation) %}
    {% set waited_in_vain = not is_first and is_elected_for %}
    {% do dbt_kinds._create_now(relation, columns, partitions, file_format,
      dbt_kinds._place_beside(relation) if waited_in_vain else none) %}
    {% if is_elected_for %}
      {% call statement('drop_mark') %}drop table if exists {{ dbt_kinds._mark_of(relation) }}{% endcall %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# Whether this model is the first of the run to ask, and this run the first of all. An operation, and a hook at the end
   of a run, is the only thread. #}
{% macro _may_create(relation, is_elected_for) %}
  {% set thread = model.unique_id if model is defined and model.unique_id is defined else '' %}
  {% set is_first = dbt_kinds.run_memory('creators').setdefault(relation | string, thread) == thread %}
  {% do return(is_first and (not is_elected_for or dbt_kinds._is_elected(relation))) %}
{% endmacro %}


{# Whether processes have to agree on one that creates a log. Hive's metastore and Iceberg let any number try; a managed
   table of Databricks has a folder of its own. #}
{% macro _is_elected_for(file_format) %}
  {% do return(file_format == 'delta' and adapter.type() == 'spark') %}
{% endmacro %}


{#
  Whether this run is the one that creates a log: the one that an empty table of text names, which Hive's metastore lets
  only one of them create. It is dropped when the log is there; if the run that it names dies before, the others create
  the log when they have waited long enough.
#}
{% macro _is_elected(relation) %}
  {% set mark = dbt_kinds._mark_of(relation) %}
  {% call statement('create_mark') %}
create table if not exists {{ mark }} (invocation_id string)
stored as textfile
tblproperties ('kinds_invocation_id' = '{{ invocation_id }}')
  {% endcall %}
  {% set found = run_query('show table extended in ' ~ relation.without_identifier() ~ " like '" ~ mark.identifier
    ~ "'").rows %}
  {% do return(found | length > 0 and 'kinds_invocation_id=' ~ invocation_id in found[0][3] | string) %}
{% endmacro %}


{% macro _mark_of(relation) %}
  {% do return(relation.incorporate(path={'identifier': relation.identifier ~ '_creator'})) %}
{% endmacro %}


{# Polls until another thread or run has created a table. If it has not after all, it may have failed, which no macro is
   told. #}
{% macro _is_created_meanwhile(relation) %}
  {% for attempt in range(100) %}
    {% if run_query('show tables in ' ~ relation.without_identifier() ~ " like '" ~ relation.identifier ~ "'").rows
        | length %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{#
  A folder that nobody else creates a log in. A run that died as it created one on Delta left a folder, over which Delta
  creates none (measured); whoever waited in vain goes elsewhere, since to replace what is there could remove events.
#}
{% macro _place_beside(relation) %}
  {% for row in run_query('describe schema ' ~ relation.without_identifier()).rows if row[0] == 'Location' %}
    {% set thread = model.unique_id if model is defined and model.unique_id is defined else '' %}
    {% do return(row[1] ~ '/' ~ relation.identifier ~ '_' ~ local_md5(invocation_id ~ thread)) %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{#
  The format of a log that is not there yet: what `kinds_store_format` says; else Delta on Databricks, Iceberg in a
  catalog that holds nothing else, and Hive text anywhere else, since Iceberg loses commits on a Hive metastore whose
  lock is off.
#}
{% macro _log_format() %}
  {% set given = dbt_kinds.store_settings().format %}
  {% if given is not none or dbt_kinds.native_format() == 'delta' %}
    {% do return(given or 'delta') %}
  {% endif %}
  {% set catalog = run_query('select current_catalog()').rows[0][0] %}
  {% set of_iceberg = catalog != 'spark_catalog' and run_query('set `spark.sql.catalog.' ~ catalog ~ '`').rows[0][1]
    == 'org.apache.iceberg.spark.SparkCatalog' %}
  {% do return('iceberg' if of_iceberg else 'hive') %}
{% endmacro %}


{% macro _create_now(relation, columns, partitions, file_format, place=none) %}
  {% set columns = columns if file_format == 'hive' else dict(columns, **partitions) %}
  {% set partitioned = [] %}
  {% for name, type in partitions.items() %}
    {% do partitioned.append(name ~ (' ' ~ type if file_format == 'hive' else '')) %}
  {% endfor %}
  {% call statement('create_log') %}
create table if not exists {{ relation }} (
{%- for name, type in columns.items() %}
  {{ name }} {{ type }}{{ ',' if not loop.last }}
{%- endfor %}
)
{% if file_format != 'hive' %}using {{ file_format }}
{% endif %}
{%- if partitioned %}partitioned by ({{ partitioned | join(', ') }})
{% endif %}
{%- if file_format == 'hive' -%}
row format delimited fields terminated by '\u0001' stored as textfile
{%- elif place is not none -%}
location {{ dbt_kinds.text_literal(place) }}
{%- elif file_format == 'iceberg' -%}
{#- any number of runs append; appends never conflict, so each retries until it succeeds #}
tblproperties (
  'commit.retry.num-retries' = '1000', 'commit.retry.min-wait-ms' = '20', 'commit.retry.max-wait-ms' = '2000'
)
{%- endif %}
  {% endcall %}
{% endmacro %}
