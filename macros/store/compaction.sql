{#
  How the store is rewritten. Nothing writes to it meanwhile but this compaction, which holds its lease. The new rows are
  written to a table that nobody reads. Iceberg and Delta then overwrite the store in one commit. Hive text first deletes files and
  then moves others: there the new table is given a name that store_source reads as well while it exists, and a kill between
  the two leaves the store whole. To read an event twice changes nothing.
#}
{% macro write_compacted(events, old_until, drop_unreadable) %}
  {% set compacting = dbt_kinds._beside_store('dbt_kinds_intervals_compacting') %}
  {% do dbt_kinds.drop_table(compacting) %}
  {% do dbt_kinds.create_store(compacting) %}
  {% for chunk in events | batch(500) %}
    {% call statement('keep_old_events') %}
insert into {{ compacting }} values
{%- for event in chunk %}
  ({{ dbt_kinds.event_values(dict(event, interval_start=event.start, interval_end=event.end)) | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
    {% endcall %}
  {% endfor %}
  {% call statement('keep_young_events') %}
insert into {{ compacting }}
select * from {{ dbt_kinds.store_source() }}
where recorded_at >= {{ dbt_kinds.text_literal(old_until) }}
  {%- if drop_unreadable %} and invocation_id = '{{ invocation_id }}'{% endif %}
  {% endcall %}
{% endmacro %}


{% macro put_compacted_in_place() %}
  {% set compacting = dbt_kinds._beside_store('dbt_kinds_intervals_compacting') %}
  {% if dbt_kinds.find_store().file_format == 'hive' %}
    {% set compacted = dbt_kinds._beside_store('dbt_kinds_intervals_compacted') %}
    {% call statement('publish_compacted') %}alter table {{ compacting }} rename to {{ compacted }}{% endcall %}
    {% if dbt_kinds.describe_table(compacted).location != dbt_kinds.find_store().location ~ '_compacted' %}
      {% do dbt_kinds.drop_table(compacted) %}
      {% do dbt_kinds.fail('the interval store', 'its catalog does not keep the folders of tables beside each other, so that a compaction that is killed would not be found; '
        ~ 'nothing was changed') %}
    {% endif %}
    {% set compacting = compacted %}
  {% endif %}
  {% call statement('put_compacted_in_place') %}
insert overwrite table {{ dbt_kinds.store_table() }} select * from {{ compacting }}
  {% endcall %}
  {% do dbt_kinds.drop_table(compacting) %}
{% endmacro %}


{# What a compaction that was killed has published goes into the store, whatever of that is there already. #}
{% macro finish_compaction() %}
  {% set compacted = dbt_kinds._beside_store('dbt_kinds_intervals_compacted') %}
  {% if dbt_kinds.relation_type(compacted, afresh=true) is not none %}
    {% call statement('finish_compaction') %}
insert into {{ dbt_kinds.store_table() }} select * from {{ compacted }}
    {% endcall %}
    {% do dbt_kinds.drop_table(compacted) %}
  {% endif %}
{% endmacro %}


{% macro count_events() %}
  {% do return(run_query('select count(*) from ' ~ dbt_kinds.store_source()).rows[0][0] | int) %}
{% endmacro %}


{% macro _beside_store(identifier) %}
  {% do return(dbt_kinds.store_table().incorporate(path={'identifier': identifier})) %}
{% endmacro %}
