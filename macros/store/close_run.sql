{# The package's on-run-end hook. #}
{% macro close_run(results) %}
  {% do dbt_kinds.release_leases(results) %}
  {% do dbt_kinds.give_back_claims_ahead() if execute %}
  {% do dbt_kinds.record_refusals(results) %}
  {% do dbt_kinds.check_times_of_run() %}
  {% do dbt_kinds.merge_files() %}
  {% do dbt_kinds.log_number_of_warnings() %}
{% endmacro %}


{# Ends the leases of models that failed, with the reason. Does nothing if every model ended its own. #}
{% macro release_leases(results) %}
  {% if execute %}
    {% for relation, claim in dbt_kinds.own_claims().copy().items() %}
      {% set failure = namespace(message='the run ended before the model did') %}
      {% for result in results if result.node.unique_id == claim.options.unique_id %}
        {% set failure.message = dbt_kinds.short_message(result.message) %}
      {% endfor %}
      {% do dbt_kinds.release_lease_of(claim.options, failure.message) %}
    {% endfor %}
  {% endif %}
{% endmacro %}
