{# Ends every lease on some models, of any run or of some `invocations`, and that of a compaction: for a run that is
   known to be dead before its lease expires. #}
{% macro release_lease(select=none, invocations=none) %}
  {% do dbt_kinds.set_event_source('release_lease') %}
  {% set models = [] %}
  {% for node in dbt_kinds.named_models('release_lease', select) %}
    {% set options = dbt_kinds.options_of(node) %}
    {% set released, events = [], [] %}
    {% for claim in dbt_kinds.open_claims(dbt_kinds.read_log([options.relation, dbt_kinds.store_key()]))
        if invocations is none or claim.invocation_id in invocations %}
      {% do released.append(claim.invocation_id) %}
      {% do events.append(dbt_kinds.release_of(claim, 'released by hand')) %}
    {% endfor %}
    {% do dbt_kinds.append_events(options, events) %}
    {% do models.append({'model': node.unique_id, 'relation': options.relation, 'released': released}) %}
  {% endfor %}
  {% do dbt_kinds.print_answer('release_lease', {'models': models}) %}
{% endmacro %}
