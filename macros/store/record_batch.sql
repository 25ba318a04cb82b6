{# States that a batch is loaded, after its write. A sample is not the batch, and is not recorded. #}
{% macro record_batch(options, plan, number, written, model_hash, started) %}
  {% set seconds = (modules.datetime.datetime.now() - started).total_seconds() %}
  {% if not dbt_kinds.is_sample_run() %}
    {% set facts = {'model_hash': model_hash, 'seconds': seconds | round(3), 'rows_written': written.rows_written} %}
    {% do facts.update({'snapshot_id': written.snapshot_id}) if written.snapshot_id is defined %}
    {% do dbt_kinds.append_events(options, 'loaded', [plan.batches[number - 1]], plan.execution_time, facts) %}
  {% endif %}
  {% do dbt_kinds.log_batch(options, plan, number, written.rows_written, seconds) %}
{% endmacro %}
