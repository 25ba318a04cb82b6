{#
  Rewrites the interval store with the same meaning in fewer rows: events older than `keep_days` are replayed,
  superseded ones are dropped, and loads that can no longer be distinguished are merged. Runs of the last days keep
  their history.
  `drop_unreadable` also drops rows that no run can read, and keeps no history.

  Being killed at any moment loses nothing: the new rows are first written beside the store, where readers find them
  too, and reading an event twice is harmless.
#}
{% macro compact_store(keep_days=7, drop_unreadable=false) %}
  {% do dbt_kinds.set_event_source('compact_store') %}
  {% set before, after = 0, 0 %}
  {% if dbt_kinds.find_store() is not none %}
    {# what is compacted was recorded before the claim, whatever the clocks of other machines say #}
    {% do dbt_kinds.notice_newest() %}
    {% set lease = dbt_kinds.store_lease() %}
    {% do dbt_kinds.claim(lease, {'execution_time': dbt_kinds.run_settings('').execution_time, 'batches': []}) %}
    {% do dbt_kinds.finish_compaction() %}
    {% set before = dbt_kinds.count_events() %}
    {% set old_until = dbt_kinds._keep_from(keep_days, drop_unreadable) %}
    {% set old_events = dbt_kinds.compacted_log(dbt_kinds.old_log(old_until), drop_unreadable) %}
    {% set young = 'recorded_at >= ' ~ dbt_kinds.text_literal(old_until)
      ~ (" and invocation_id = '" ~ invocation_id ~ "'" if drop_unreadable else '') %}
    {% set failure = dbt_kinds.rewrite_store(old_events, young, before) %}
    {% do dbt_kinds.fail('the interval store', failure ~ '; nothing was changed') if failure is not none %}
    {% do dbt_kinds.release_lease_of(lease) %}
    {% set after = dbt_kinds.count_events() %}
  {% endif %}
  {% do dbt_kinds.print_answer('compact_store', {'events_before': before, 'events_after': after}) %}
{% endmacro %}


{# Events recorded before this moment are compacted; the claim of this compaction never is. #}
{% macro _keep_from(keep_days, drop_unreadable) %}
  {% set claimed_at = dbt_kinds.own_claims()[dbt_kinds.store_key()].sign_of_life %}
  {% set days = dbt_kinds.whole_number('the interval store', 'keep_days', keep_days, 0) %}
  {% do return(claimed_at if drop_unreadable else dbt_kinds.moment_after(claimed_at, -86400 * days)) %}
{% endmacro %}
