{#
  Records that wait. If a batch may be loaded again without changing anything, its record need not reach the store
  before the next model begins: the next append of the run takes it along: claims, or the record of another model.
  Until then the run's own logs have it, and the model's lease is held: it ends in the append that has its record. If
  the run dies before, the next one loads that batch again.

  `run_memory('waiting')` has them by relation, as `{options, events, commit, since}`; `run_memory('sent')` those of
  which nobody knows yet that their append is done; `run_memory('taken_over')` the relations of those that are dropped,
  because another run has claimed the table since.
#}
{% macro let_wait(options, events, commit) %}
  {% set whole = dbt_kinds.whole_events(options, events) %}
  {% for event in whole %}{% do dbt_kinds.add_to_log(event.relation, event) %}{% endfor %}
  {% do dbt_kinds.run_memory('waiting').update({options.relation: {'options': options, 'events': whole,
    'commit': commit, 'since': whole[0].recorded_at}}) %}
{% endmacro %}


{# Whether the record of a model's last batch may wait: nothing happens but a write that may be repeated, and did not
   take long, and other models follow that take it along. #}
{% macro may_wait(run_context, seconds) %}
  {% set options = run_context.options %}
  {# a table that is made anew is announced or empty until its record, unless one write makes it #}
  {% set is_one_write = options.traits.replaces_table or not run_context.start_anew %}
  {# what a query computes from its own table, it computes from other rows the next time #}
  {% set may_be_repeated = dbt_kinds.is_repeatable(options) and is_one_write
    and not dbt_kinds.reads_table(this, run_context.sql) and not pre_hooks %}
  {% do return(seconds < 30 and may_be_repeated and dbt_kinds.open_write(options.relation) is none
    and dbt_kinds.others_will_append(options.relation)) %}
{% endmacro %}


{# Whether loading a batch a second time leaves the table as it is, and nothing outside of it goes by what was loaded.
   Pure. #}
{% macro is_repeatable(options) %}
  {% set traits = options.traits %}
  {% do return('sink' not in options
    and not (traits.may_count_twice or traits.accumulates or traits.has_merge_timeline or traits.is_change_driven
    or traits.takes_once)) %}
{% endmacro %}


{# Called when a model has ended: appends what waits if no model is left that would take it along, if it is much, or if
   it waits for long. #}
{% macro send_due_records() %}
  {% set number = dbt_kinds.run_memory('waiting') | length %}
  {% if number and (not dbt_kinds.others_will_append(none) or number >= [dbt_kinds.claims_at_once(), 4] | max) %}
    {% do dbt_kinds.add_events([]) %}
  {% else %}
    {% do dbt_kinds.send_old_records() %}
  {% endif %}
{% endmacro %}


{# Appends what waits if one of the records waits for long. #}
{% macro send_old_records() %}
  {% set records = dbt_kinds.run_memory('waiting').copy().values() | list %}
  {% do dbt_kinds.add_events([]) if records and dbt_kinds._waits_for_long(records) %}
{% endmacro %}


{#
  Called when a model has its lease: its write may take long, so what waits for long is sent; and before a write that
  may not be repeated, what it reads has to be in the store. What is under way in another thread has mostly arrived by
  now; what has not is sent again, for two equal events say the same as one.
#}
{% macro send_records_before_write(options) %}
  {% if dbt_kinds.is_repeatable(options) %}
    {% do dbt_kinds.send_old_records() %}
  {% else %}
    {% do dbt_kinds.add_events([]) if dbt_kinds.run_memory('waiting') %}
    {% do dbt_kinds.add_events([], with_sent=true) if dbt_kinds.run_memory('sent') %}
  {% endif %}
{% endmacro %}


{# Whether one of some records waits for 30 seconds, or for half of its lease. #}
{% macro _waits_for_long(records) %}
  {% set now, claims = dbt_kinds.next_moment(), dbt_kinds.own_claims() %}
  {% for record in records %}
    {% set claim = claims.get(record.options.relation) %}
    {% if dbt_kinds.moment_after(record.since, 30) <= now
        or (claim is not none and dbt_kinds.moment_after(claim.sign_of_life, claim.seconds / 2) <= now) %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{# Raises if another run took over a table that this one had loaded: it may be half written, and this model may read
   it. #}
{% macro check_nothing_taken_over(options) %}
  {% for relation in dbt_kinds.run_memory('taken_over') %}
    {% do dbt_kinds.fail(options.model,
      'another run took over ' ~ relation ~ ' before what this one had loaded was recorded; run it again') %}
  {% endfor %}
{% endmacro %}


{# The records for an append to take along. Each goes with one append only, since another thread may be taking them,
   too; `with_sent` those as well that are under way. #}
{% macro records_to_send(with_sent=false) %}
  {% set waiting, sent, records = dbt_kinds.run_memory('waiting'), dbt_kinds.run_memory('sent'), [] %}
  {% do records.extend(sent.copy().values()) if with_sent %}
  {% for relation in waiting.copy() %}
    {% set record = waiting.get(relation) %}
    {% if record is not none and dbt_kinds._is_still_ours(record.options) %}
      {# it is in one of the two at any moment #}
      {% do sent.update({relation: record}) %}
      {% do records.append(record) if waiting.pop(relation, none) is not none %}
    {% elif record is not none %}
      {% do waiting.pop(relation, none) %}
      {% do dbt_kinds.own_claims().pop(relation, none) %}
      {% do dbt_kinds.run_memory('taken_over').update({relation: true}) %}
      {% do dbt_kinds.warn(record.options.model,
        'another run took over ' ~ relation
          ~ ' before what this one loaded was recorded, so it is not recorded; run it again, with a greater '
          ~ 'kinds_lease_seconds if the models of a run take that long') %}
    {% endif %}
  {% endfor %}
  {% do return(records) %}
{% endmacro %}


{# Called when an append is done that took records along. #}
{% macro note_sent(records) %}
  {% for record in records %}
    {% do dbt_kinds.run_memory('sent').pop(record.options.relation, none) %}
    {% for event in record.events %}{% do dbt_kinds.renew_lease(event) %}{% endfor %}
  {% endfor %}
{% endmacro %}


{# Whether a record of a relation is on its way to the store, with which the lease ends. #}
{% macro has_record_to_send(relation) %}
  {% do return(relation in dbt_kinds.run_memory('waiting') or relation in dbt_kinds.run_memory('sent')) %}
{% endmacro %}


{# Whether nobody claimed a table since this run's last sign of life, if that is longer ago than its lease lasts. #}
{% macro _is_still_ours(options) %}
  {% do return(not dbt_kinds.is_overdue(options)
    or not dbt_kinds.is_taken_over(options, dbt_kinds.read_log([options.relation]))) %}
{% endmacro %}
