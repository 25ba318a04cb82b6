{#
  Records a batch as loaded, after its write; `started_at` is the moment its query may have begun to read. The same
  append withdraws the records of the next batch, and ends the lease after the last one, unless the run `has_more` to
  do; that append may wait. A sample is not the full batch and is not recorded.
#}
{% macro record_batch(run_context, number, written, started_at, has_more=true) %}
  {% set options, plan = run_context.options, run_context.plan %}
  {% set seconds = dbt_kinds.to_thousandths(dbt_kinds.seconds_between(started_at, dbt_kinds.next_moment())) %}
  {% if not dbt_kinds.is_sample_run() %}
    {% set batch = plan.batches[number - 1] %}
    {% do dbt_kinds.assert_lease(options) %}
    {% set also = dbt_kinds.audit_events(batch, plan.execution_time, run_context.get('warnings', [])) %}
    {% if number < plan.batches | length %}
      {# the records of an audited batch are withdrawn once it has passed #}
      {% do also.extend(dbt_kinds.invalidations_of(options, plan, plan.batches[number]))
        if not options.traits.appends_rows and not run_context.audits %}
    {% elif not has_more and not dbt_kinds.is_granted_or_documented(run_context) %}
      {% do also.extend(dbt_kinds.release_event(options)) %}
    {% endif %}
    {% set record = [{
      'event': 'loaded', 'interval_start': batch[0], 'interval_end': batch[1], 'execution_time': plan.execution_time,
      'model_hash': run_context.model_hash, 'started_at': started_at, 'seconds': seconds,
      'rows_written': written.rows_written,
      'snapshot_id': written.get('snapshot_id'), 'details': dbt_kinds.batch_details(run_context, number, written),
    }] + also %}
    {% if also and also[-1].event == 'released' and dbt_kinds.may_wait(run_context, seconds) %}
      {% do dbt_kinds.let_wait(options, record, written.get('commit')) %}
    {% else %}
      {% do dbt_kinds.append_events(options, record, written.get('commit')) %}
    {% endif %}
  {% else %}
    {% do dbt_kinds.close_announced_write(options) %}
  {% endif %}
  {% do run_context.update({'seconds_spent': run_context.get('seconds_spent', 0) + seconds}) %}
  {% do dbt_kinds.log_batch(options, plan, number, written.rows_written, seconds, run_context.seconds_spent) %}
{% endmacro %}


{# The details of a batch's record: what its write says, whether its audits were skipped, the state of the sources that
   it read, and what its run said and need not say again. #}
{% macro batch_details(run_context, number, written) %}
  {% set plan, details = run_context.plan, dict(dbt_kinds.details_of(written)) %}
  {% do details.update({'audits': 'skipped'}) if run_context.skips_audits %}
  {% do details.update({'sources': dbt_kinds.states_of_sources(plan.sources, plan.batches[number - 1])})
    if plan.get('sources') %}
  {% do details.update({'told': plan.told}) if plan.get('told') is not none and number == 1 %}
  {% do return(details or none) %}
{% endmacro %}
