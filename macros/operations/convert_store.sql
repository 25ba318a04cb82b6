{#
  Gives a store of Hive text the format iceberg or delta, in which an append takes about half as long. It copies the
  rows and renames both tables. What others record meanwhile is copied behind, and the old table is dropped last.

  Being killed at any moment loses nothing: until the renames the store is what it was, between them no run begins
  (find_store), and after them the new one is in place; the next call finishes what is left.
#}
{% macro convert_store(format) %}
  {% do dbt_kinds.set_event_source('convert_store') %}
  {% do dbt_kinds._check_store_format(format) %}
  {% set is_converted = dbt_kinds._finish_conversion() %}
  {% set file_format = (dbt_kinds.find_store() or {'file_format': none}).file_format %}
  {% if file_format not in [none, 'hive', format] %}
    {% do dbt_kinds.fail('the interval store', 'it is in ' ~ file_format
      ~ '; convert_store converts a store of Hive text only') %}
  {% elif file_format == 'hive' %}
    {% do dbt_kinds.notice_newest() %}
    {% set lease = dbt_kinds.store_lease() %}
    {% do dbt_kinds.claim(lease, {'execution_time': dbt_kinds.run_settings('').execution_time, 'batches': []}) %}
    {% do dbt_kinds.finish_compaction() %}
    {% set converted = dbt_kinds.beside_store('converted') %}
    {% do dbt_kinds.drop_table(converted) %}
    {% do dbt_kinds.create_store(converted, format) %}
    {% call statement('copy_store') %}
insert into {{ converted }} select distinct * from {{ dbt_kinds.store_source(beside=false) }}
    {% endcall %}
    {% call statement('put_store_away') %}
alter table {{ dbt_kinds.store_table() }} rename to {{ dbt_kinds.beside_store('before') }}
    {% endcall %}
    {% set is_converted = dbt_kinds._finish_conversion() %}
    {% do dbt_kinds.release_lease_of(lease) %}
  {% endif %}
  {% do dbt_kinds.print_answer('convert_store', {'format': format, 'converted': is_converted,
    'events': dbt_kinds.count_events() if file_format is not none else 0}) %}
{% endmacro %}


{# What is left to do of a conversion whose copy is complete: the old store was renamed, and is there. Returns whether
   there was one. #}
{% macro _finish_conversion() %}
  {% set store, before = dbt_kinds.store_table(), dbt_kinds.beside_store('before') %}
  {% set is_under_way = dbt_kinds.relation_type(before, refresh=true) is not none %}
  {% if is_under_way %}
    {% if dbt_kinds.relation_type(store) is none %}
      {% call statement('put_store_in_place') %}
alter table {{ dbt_kinds.beside_store('converted') }} rename to {{ store }}
      {% endcall %}
    {% endif %}
    {# rows are never changed, so what is missing came after the copy #}
    {% call statement('copy_late_events') %}
insert into {{ store }} select * from {{ before }} except select * from {{ store }}
    {% endcall %}
    {% do dbt_kinds.drop_table(before) %}
    {% do dbt_kinds.forget_store() %}
    {% do dbt_kinds.find_store(refresh=true) %}
  {% endif %}
  {% do return(is_under_way) %}
{% endmacro %}


{% macro _check_store_format(format) %}
  {% if format not in ['iceberg', 'delta'] %}
    {% do dbt_kinds.fail('the interval store', "format '" ~ format ~ "' is neither iceberg nor delta") %}
  {% elif not dbt_kinds.commits_are_locked(format) %}
    {% do dbt_kinds.fail('the interval store', 'the lock of the Hive catalog is off '
      ~ '(iceberg.engine.hive.lock-enabled), and then Iceberg loses what runs append at the same time') %}
  {% endif %}
{% endmacro %}
