{#
  Records a batch as loaded, after its write; `started_at` is the moment its query may have begun to read. The same append withdraws the
  records of the next batch, and ends the lease after the last one, unless the run `has_more` to do. A sample is not the full batch and
  is not recorded.
#}
{% macro record_batch(work, number, written, started_at, has_more=true) %}
  {% set options, plan = work.options, work.plan %}
  {% set seconds = dbt_kinds.to_thousandths(dbt_kinds.seconds_between(started_at, dbt_kinds.next_moment())) %}
  {% if not dbt_kinds.is_sample_run() %}
    {% set batch = plan.batches[number - 1] %}
    {% do dbt_kinds.hold_lease(options) %}
    {% set also = dbt_kinds.audit_events(batch, plan.execution_time, work.get('warnings', [])) %}
    {% if number < plan.batches | length %}
      {# the records of an audited batch are withdrawn once it has passed #}
      {% do also.extend(dbt_kinds.invalidations_of(options, plan, plan.batches[number])) if not options.traits.appends_rows and not work.audits %}
    {% elif not has_more and not dbt_kinds.is_granted_or_documented(work) %}
      {% do also.extend(dbt_kinds.release_along(options)) %}
    {% endif %}
    {% do dbt_kinds.append_events(options, [{
      'event': 'loaded', 'interval_start': batch[0], 'interval_end': batch[1], 'execution_time': plan.execution_time,
      'model_hash': work.model_hash, 'started_at': started_at, 'seconds': seconds, 'rows_written': written.rows_written,
      'snapshot_id': written.get('snapshot_id'), 'details': dbt_kinds.batch_details(work, number, written),
    }] + also, written.get('commit')) %}
  {% else %}
    {% do dbt_kinds.close_pending_write(options) %}
  {% endif %}
  {% do work.update({'seconds_spent': work.get('seconds_spent', 0) + seconds}) %}
  {% do dbt_kinds.log_batch(options, plan, number, written.rows_written, seconds, work.seconds_spent) %}
{% endmacro %}


{# The details of a batch's record: what its write says, whether its audits were skipped, the state of the sources that it read, and what its run said and need not say again. #}
{% macro batch_details(work, number, written) %}
  {% set plan, details = work.plan, dict(dbt_kinds.details_of(written)) %}
  {% do details.update({'audits': 'skipped'}) if work.skips_audits %}
  {% do details.update({'sources': dbt_kinds.states_of_sources(plan.sources, plan.batches[number - 1])}) if plan.get('sources') %}
  {% do details.update({'told': plan.told}) if plan.get('told') is not none and number == 1 %}
  {% do return(details or none) %}
{% endmacro %}
