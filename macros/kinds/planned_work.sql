{#
  The work of a model's run, checked against the current table and query before anything is written: `{options, plan, is_done, note}`, and if there is something to do what
  prepared_write adds. Pass `refresh` if others may have written since the run began.
#}
{% macro planned_work(options, settings, refresh=false) %}
  {% set run = dbt_kinds.begun_run(options, settings, refresh) %}
  {% do dbt_kinds.check_deletes_are_seen(model, run.sql) %}
  {% do dbt_kinds.prepare_outbox() if 'sink' in options %}
  {% set plan = dbt_kinds[options.traits.plan](model, options, run) %}
  {% if not plan.batches and run.is_there %}
    {% do return({'options': options, 'plan': plan, 'is_done': true, 'note': plan.get('note')}) %}
  {% endif %}
  {% for audit in options.audits %}{% do dbt_kinds.generic_test(options.model, audit) %}{% endfor %}
  {% do dbt_kinds.warn_of_limit(options, run.sql) if not refresh %}
  {% set query = dbt_kinds.described_run_query(options, run, plan) %}
  {% do return(dbt_kinds.prepared_write(run, plan, query)) %}
{% endmacro %}


{#
  The same under the lease: claims the table, and plans again if others wrote, or if a write that a run announced and did not record
  had to be finished.
#}
{% macro leased_work(options, settings) %}
  {% set unsettled = dbt_kinds.open_write(options.relation) is not none %}
  {% if unsettled %}
    {% do dbt_kinds.claim(options, {'execution_time': settings.execution_time, 'batches': []}) %}
    {% set settings = dbt_kinds.settle_pending_write(options, settings) or settings %}
  {% endif %}
  {% set work = dbt_kinds.planned_work(options, settings, refresh=unsettled) %}
  {% if work.is_done and work.note is none %}
    {% do return(work) %}
  {% endif %}
  {# what a run without anything to load notes is not worth failing for #}
  {% set others_wrote = dbt_kinds.claim(options, work.plan, work.get('questions', {}), gives_way=work.is_done) %}
  {% if others_wrote is none %}
    {% do return(dict(work, note=none)) %}
  {% endif %}
  {% do work.update({'answers': dbt_kinds.own_claims()[options.relation].answers}) %}
  {% set settled = dbt_kinds.settle_pending_write(options, settings) if not unsettled else none %}
  {# another run's records do not show which files it took from a folder #}
  {% if others_wrote or settled is not none or options.traits.takes_once %}
    {% set work = dbt_kinds.planned_work(options, settled or settings, refresh=true) %}
  {% else %}
    {% do dbt_kinds.refresh_if_stale(this, work) %}
  {% endif %}
  {% do return(work) %}
{% endmacro %}


{# Re-reads the table after hooks ran: they may write to it, or drop one that is to be rebuilt. #}
{% macro reload_existing(relation, work) %}
  {% do work.answers.clear() %}
  {% if work.start_anew %}
    {% do work.update({'existing': dbt_kinds.describe_table(relation) if dbt_kinds.relation_type(relation, refresh=true) is not none else none}) %}
  {% endif %}
{% endmacro %}
