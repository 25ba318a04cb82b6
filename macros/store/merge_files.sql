{#
  A run that found many small files in the store rewrites them into a few, with the same
  rows. Not while another run is active, and with a short lease, so that a run killed here does not block others for
  long.
#}
{% macro merge_files() %}
  {% set files = dbt_kinds.run_memory('store_files').get('number') or 0 %}
  {% if execute and files > 300 and dbt_kinds.may_merge_files() %}
    {% do dbt_kinds.set_event_source('merge_files') %}
    {% set lease = dbt_kinds.store_lease() %}
    {% if dbt_kinds.try_claim(lease, {'execution_time': dbt_kinds.run_settings('').execution_time, 'batches': []}, 600)
        is none %}
      {% do dbt_kinds.finish_compaction() %}
      {% set failure = dbt_kinds.rewrite_store([], 'true', dbt_kinds.count_events()) %}
      {% do dbt_kinds.release_lease_of(lease) %}
      {% do log('dbt_kinds: merged the ' ~ files ~ ' files of the interval store' if failure is none
        else 'dbt_kinds: the ' ~ files ~ ' files of the interval store were not merged: ' ~ failure, info=true) %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# Whether runs may merge files: not if `kinds_compact` is `never`, and not on Delta, which has its own means. #}
{% macro may_merge_files() %}
  {% do return(dbt_kinds.store_settings().compact == 'auto' and dbt_kinds.find_store().file_format != 'delta') %}
{% endmacro %}


{# A question about the number of the store's files, asked once per run with the first claim. #}
{% macro store_files_question() %}
  {% if dbt_kinds.run_memory('store_files') or not dbt_kinds.may_merge_files() %}
    {% do return({}) %}
  {% endif %}
  {% do return({'store_files': 'select count(*) from '
    ~ ('binaryFile.' ~ dbt_kinds.quoted(dbt_kinds.find_store().location) if dbt_kinds.find_store().file_format == 'hive'
    else dbt_kinds.store_table() ~ '.files')}) %}
{% endmacro %}


{# Keeps the answer, if it is among these. #}
{% macro keep_number_of_files(answers) %}
  {% do dbt_kinds.run_memory('store_files').update({'number': answers.pop('store_files')})
    if 'store_files' in answers %}
{% endmacro %}
