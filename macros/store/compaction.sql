{#
  Rewrites the store under its lease. The rows to keep are written to a table beside it. Iceberg and Delta then
  overwrite the store in one commit. Hive text first deletes files and then moves others; as long as the table beside it
  exists, store_source reads that as well, so that being killed in between loses no rows. Reading an event twice is
  harmless.
#}
{% macro rewrite_store(old_events, young, before) %}
  {% set beside = dbt_kinds.beside_store('compacted') %}
  {% set file_format = dbt_kinds.find_store().file_format %}
  {% do dbt_kinds.create_store(beside, file_format) %}
  {% if file_format == 'hive'
      and dbt_kinds.describe_table(beside).location != dbt_kinds.find_store().location ~ '_compacted' %}
    {% do dbt_kinds.drop_table(beside) %}
    {% do return('its catalog does not keep the folders of tables beside each other, so that a compaction that is killed would not be found') %}
  {% endif %}
  {% for chunk in old_events | batch(500) %}
    {% call statement('keep_old_events') %}
insert into {{ beside }} values
{%- for event in chunk %}
  ({{ dbt_kinds.event_values(event) | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
    {% endcall %}
  {% endfor %}
  {# drops duplicates that a killed compaction added, and leaves few files #}
  {% call statement('keep_young_events') %}
insert into {{ beside }}
select distinct * from {{ dbt_kinds.store_source(beside=false) }}
where {{ young }}
  {% endcall %}
  {# runs only add events, but another compaction also removes some, and what is beside the store is its own #}
  {% if dbt_kinds.successors(dbt_kinds.store_lease()) %}
    {% do return('it took longer than its lease lasts, and another run has begun; run compact_store with a greater kinds_lease_seconds') %}
  {% endif %}
  {% set changed = dbt_kinds.count_events() != before %}
  {% if not changed %}
    {% call statement('put_compacted_in_place') %}
insert overwrite table {{ dbt_kinds.store_table() }} select * from {{ beside }}
    {% endcall %}
  {% endif %}
  {% do dbt_kinds.drop_table(beside) %}
  {% do return('events were recorded while it was compacted; run compact_store again' if changed else none) %}
{% endmacro %}


{# What a killed compaction has left beside the store: for a Hive store it may be the only copy of some events. #}
{% macro finish_compaction() %}
  {% set beside = dbt_kinds.beside_store('compacted') %}
  {% if dbt_kinds.relation_type(beside, refresh=true) is not none %}
    {% if dbt_kinds.find_store().file_format == 'hive' %}
      {% call statement('finish_compaction') %}
insert into {{ dbt_kinds.store_table() }} select * from {{ beside }}
      {% endcall %}
    {% endif %}
    {% do dbt_kinds.drop_table(beside) %}
  {% endif %}
{% endmacro %}


{% macro count_events() %}
  {% do return(run_query('select count(*) from ' ~ dbt_kinds.store_source(beside=false)).rows[0][0] | int) %}
{% endmacro %}


{# The options that claim needs for the lease on the whole store. #}
{% macro store_lease() %}
  {% do return({'relation': dbt_kinds.store_key(), 'unique_id': none, 'kind': none, 'model': 'the interval store'}) %}
{% endmacro %}
