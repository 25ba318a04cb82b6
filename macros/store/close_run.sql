{# The package's on-run-end hook. #}
{% macro close_run(results) %}
  {% do dbt_kinds.end_leases(results) if execute %}
  {% do dbt_kinds.record_refusals(results) %}
  {% do dbt_kinds.check_times_of_run() %}
  {% do dbt_kinds.merge_files() %}
  {% do dbt_kinds.log_number_of_warnings() %}
{% endmacro %}


{# Ends what this run still holds, in one append: the leases of models that failed, with the reason, and claims ahead of
   models that did not begin. Appends nothing if every model ended its own. #}
{% macro end_leases(results) %}
  {% set events = [] %}
  {% for relation, claim in dbt_kinds.own_claims().copy().items() if dbt_kinds.release_event(claim.options) %}
    {% set failure = namespace(message='the run ended before the model did') %}
    {% for result in results if result.node.unique_id == claim.options.unique_id %}
      {% set failure.message = dbt_kinds.short_message(result.message) %}
    {% endfor %}
    {% do events.extend(dbt_kinds.whole_events(claim.options,
      [{'event': 'failed', 'message': failure.message}, {'event': 'released'}])) %}
  {% endfor %}
  {% do dbt_kinds.give_back_claims_ahead(events) %}
{% endmacro %}
