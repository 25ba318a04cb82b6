{#
  Creates a table that any number of runs append to: the store and the logs beside it; `columns` and `partitions` are
  name -> type. Never Parquet: concurrent appends of four threads lost 13 of 40 rows there (measured on Spark 3.5.9),
  none in Hive text.

  One thread of one run creates it, and the others wait until it is there: on Delta, of several that create one table at
  the same time all but one fail, `if not exists` or not.
#}
{% macro create_log(relation, columns, partitions={}) %}
  {% do adapter.create_schema(relation) %}
  {% set is_first = dbt_kinds._may_create(relation) %}
  {% if is_first or not dbt_kinds._is_created_meanwhile(relation) %}
    {% set waited_in_vain = not is_first and dbt_kinds._is_elected_for() %}
    {% do dbt_kinds._create_now(relation, columns, partitions,
      dbt_kinds._place_beside(relation) if waited_in_vain else none) %}
    {% if dbt_kinds._is_elected_for() %}
      {% call statement('drop_mark') %}drop table if exists {{ dbt_kinds._mark_of(relation) }}{% endcall %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# Whether this model is the first of the run to ask, and this run the first of all. An operation, and a hook at the end
   of a run, is the only thread. #}
{% macro _may_create(relation) %}
  {% set thread = model.unique_id if model is defined and model.unique_id is defined else '' %}
  {% set is_first = dbt_kinds.run_memory('creators').setdefault(relation | string, thread) == thread %}
  {% do return(is_first and (not dbt_kinds._is_elected_for() or dbt_kinds._is_elected(relation))) %}
{% endmacro %}


{# Whether processes have to agree on one that creates a log. Hive's metastore and Iceberg let any number try; a managed
   table of Databricks has a folder of its own. #}
{% macro _is_elected_for() %}
  {% do return(dbt_kinds.store_settings().format == 'delta' and adapter.type() == 'spark') %}
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


{% macro _create_now(relation, columns, partitions, place=none) %}
  {% set store_format = dbt_kinds.store_settings().format %}
  {% set columns = columns if store_format == 'hive' else dict(columns, **partitions) %}
  {% set partitioned = [] %}
  {% for name, type in partitions.items() %}
    {% do partitioned.append(name ~ (' ' ~ type if store_format == 'hive' else '')) %}
  {% endfor %}
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
{%- elif place is not none -%}
location {{ dbt_kinds.text_literal(place) }}
{%- elif store_format == 'iceberg' -%}
{#- any number of runs append; appends never conflict, so each retries until it succeeds #}
tblproperties (
  'commit.retry.num-retries' = '1000', 'commit.retry.min-wait-ms' = '20', 'commit.retry.max-wait-ms' = '2000'
)
{%- endif %}
  {% endcall %}
{% endmacro %}
