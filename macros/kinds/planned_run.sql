{#
  The context of a model's run, checked against the current table and query before anything is written:
  `{options, plan, has_nothing_to_do, note}`, and if there is something to do what prepared_write adds. Pass `refresh`
  if others may have written since the run began.
#}
{% macro planned_run(options, settings, refresh=false) %}
  {% set run = dbt_kinds.begun_run(options, settings, refresh) %}
  {% do dbt_kinds.check_deletes_are_seen(model, run.sql) if options.traits.has_merge_timeline %}
  {% do dbt_kinds.prepare_outbox() if 'sink' in options %}
  {% set plan = dbt_kinds[options.traits.plan](model, options, run) %}
  {% if not plan.batches and run.is_there %}
    {% do return({'options': options, 'plan': plan, 'has_nothing_to_do': true, 'note': plan.get('note')}) %}
  {% endif %}
  {% for audit in options.audits %}{% do dbt_kinds.generic_test(options.model, audit) %}{% endfor %}
  {% do dbt_kinds.warn_of_limit(options, run.sql) if not refresh %}
  {% set query = dbt_kinds.described_run_query(options, run, plan) %}
  {% do return(dbt_kinds.prepared_write(run, plan, query)) %}
{% endmacro %}


{#
  The same under the lease: claims the table, and plans again if others wrote, or if a write that a run announced and
  did not record had to be finished.
#}
{% macro leased_run(options, settings) %}
  {% set has_open_write = dbt_kinds.open_write(options.relation) is not none %}
  {% if has_open_write %}
    {% do dbt_kinds.claim(options, {'execution_time': settings.execution_time, 'batches': []}) %}
    {% set settings = dbt_kinds.settle_announced_write(options, settings) or settings %}
  {% endif %}
  {% set known = dbt_kinds.recorded_facts(options.relation) %}
  {% set run_context = dbt_kinds.planned_run(options, settings, refresh=has_open_write) %}
  {% if run_context.has_nothing_to_do and run_context.note is none %}
    {% do dbt_kinds.give_back_claim_ahead(options) %}
    {% do return(run_context) %}
  {% endif %}
  {# what a run without anything to load notes is not worth failing for #}
  {% set part = dbt_kinds.part_to_claim(options, settings, run_context) %}
  {% set others_wrote = dbt_kinds.claim(options, run_context.plan, run_context.get('table_state_queries', {}),
    gives_way=run_context.has_nothing_to_do, known=known, part=part) %}
  {% if others_wrote is none %}
    {% do return(dict(run_context, note=none)) %}
  {% endif %}
  {% do dbt_kinds.send_records_before_write(options) %}
  {% do dbt_kinds.check_nothing_taken_over(options) %}
  {% do run_context.update({'table_state': dbt_kinds.own_claims()[options.relation].table_state}) %}
  {% set settings_after = dbt_kinds.settle_announced_write(options, settings) if not has_open_write else none %}
  {# another run's records do not show which files it took from a folder #}
  {% if others_wrote or settings_after is not none or options.traits.takes_once %}
    {% set run_context = dbt_kinds.planned_run(options, settings_after or settings, refresh=true) %}
    {% do dbt_kinds.check_part_suffices(options, settings, run_context) %}
  {% else %}
    {% do dbt_kinds.refresh_if_stale(this, run_context) %}
  {% endif %}
  {% do return(run_context) %}
{% endmacro %}


{# Re-reads the table after hooks ran: they may write to it, or drop one that is to be rebuilt. #}
{% macro reload_existing(relation, run_context) %}
  {% do run_context.table_state.clear() %}
  {% if run_context.start_anew %}
    {% do run_context.update({'existing': dbt_kinds.describe_table(relation)
      if dbt_kinds.relation_type(relation, refresh=true) is not none else none}) %}
  {% endif %}
{% endmacro %}
