{#
  Takes the lease on a model, or raises. Returns whether others recorded anything for the table since this
  run read the store: then it must plan again. The same read also answers a run's `questions` about the table
  under the lease: see table_state. Waits for a run that only merges the store's files. If it `gives_way`, it returns
  none instead of raising. `known` is what was recorded of the table before the run planned (recorded_facts); another
  thread may have read the store since. With a `part`, it claims that part of the table only (part_to_claim).
#}
{% macro claim(options, plan, questions={}, gives_way=false, known=none, part=none) %}
  {% if options.relation in dbt_kinds.own_claims() %}
    {% do return(false) %}
  {% endif %}
  {% set known = dbt_kinds.recorded_facts(options.relation) if known is none else known %}
  {% set held = dbt_kinds.take_claim_ahead(options) %}
  {% if held is not none %}
    {% do dbt_kinds.claim_ahead(plan.execution_time) %}
    {% do return(held.others_wrote or dbt_kinds.recorded_facts(options.relation) != known) %}
  {% endif %}
  {% set seconds = dbt_kinds.store_settings().lease_seconds %}
  {% for attempt in range(3) %}
    {% set holder = dbt_kinds.try_claim(options, plan, seconds, questions, gives_way, part) %}
    {% if holder is none %}
      {% do dbt_kinds.claim_ahead(plan.execution_time) %}
      {% do return(dbt_kinds.recorded_facts(options.relation) != known) %}
    {% elif loop.last or holder.source != 'merge_files' or not dbt_kinds._sees_end_of(holder, options) %}
      {% do return(none) if gives_way %}
      {% do dbt_kinds._fail_for_lease(options, holder) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{#
  What is recorded of a table, as a text that differs when anything else is recorded. Not the number of events, which
  stays the same if a run adds one while a compaction makes one of two, nor their newest moment, which may be older on
  another machine. A compaction alone makes it differ, too: then a run plans again for nothing. With a `part`, only
  what is recorded in it.
#}
{% macro recorded_facts(relation, part=none) %}
  {% set facts = [] %}
  {% for event in dbt_kinds.events_of(relation)
      if part is none or dbt_kinds.overlap(part, [event.interval_start, event.interval_end]) %}
    {% do facts.append(event.recorded_at ~ ' ' ~ event.event ~ ' ' ~ event.interval_start ~ ' ' ~ event.interval_end) %}
  {% endfor %}
  {% do return(facts | sort | join('\n')) %}
{% endmacro %}


{#
  Claims by appending, then reads: a claim holds once a read after its append shows no other live claim. A run that sees
  an earlier claim withdraws; one that sees only later claims re-reads until they are withdrawn, and gives way to one
  that stays. Returns the conflicting claim, or none if this run has the lease. A run that `gives_way` does not fail
  because of it.
#}
{% macro try_claim(options, plan, seconds, questions={}, gives_way=false, part=none) %}
  {% do dbt_kinds.own_claims().update({options.relation: {'options': options, 'seconds': seconds, 'sign_of_life': '',
    'table_state': {}, 'part': part}}) %}
  {% set claimed_at = dbt_kinds.append_events(options, [dict(
    dbt_kinds.claim_event(plan.execution_time, seconds, part),
    interval_start=part[0] if part else plan.batches[0][0] if plan.batches else none,
    interval_end=part[1] if part else plan.batches[-1][1] if plan.batches else none,
  )]) %}
  {% for attempt in range(30) %}
    {% set others = dbt_kinds._claims_of_others(options, questions) %}
    {% set rivals = dbt_kinds.claims_on(options.relation, others.live, part) %}
    {% set earlier = rivals | selectattr('claimed_at', 'le', claimed_at) | list %}
    {% if not rivals %}
      {% do dbt_kinds._release_dead_claims(options, others.dead) %}
      {% do return(none) %}
    {% elif earlier or loop.last %}
      {% set holder = (earlier or rivals)[0] %}
      {% set is_brief = holder.source == 'merge_files' %}
      {% do dbt_kinds.release_lease_of(options,
        none if is_brief or gives_way else 'invocation ' ~ holder.invocation_id ~ ' held the lease') %}
      {% do return(holder) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{% macro claim_event(execution_time, seconds, part=none) %}
  {% set by, details = dbt_kinds.started_by(), {} %}
  {% do details.update({'by': by}) if by %}
  {% do details.update({'claims': 'part'}) if part %}
  {% do return({'event': 'claimed', 'execution_time': execution_time, 'lease_seconds': seconds,
    'holder': dbt_kinds.lease_holder(), 'details': details or none}) %}
{% endmacro %}


{# Those of some claims that keep others from a table, or from a part of it: on it, or on the whole store; whoever
   claims that is kept from it by all. Claims of parts that do not overlap live side by side. Pure. #}
{% macro claims_on(relation, claims, part=none) %}
  {% set found, store = [], dbt_kinds.store_key() %}
  {% for claim in claims if relation == store or claim.relation in [relation, store] %}
    {% do found.append(claim) if not part or not claim.get('part') or dbt_kinds.overlap(part, claim.part) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# Polls, without holding a claim of its own, until a claim ends, and returns whether it did: an earlier claim of this
   run could be lost with the old files. #}
{% macro _sees_end_of(claim, options) %}
  {% for attempt in range(100) %}
    {% if claim.invocation_id not in dbt_kinds._live_rivals(options) | map(attribute='invocation_id') %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{#
  The claims that this run holds, by relation: `{options, seconds, sign_of_life, table_state, had_others, part}`, the
  state being what was answered to the questions that came with the claim, and the snapshot that the last recorded write
  left; had_others is whether another run ever claimed the table; part is what is claimed of it, none if all.
#}
{% macro own_claims() %}
  {% do return(dbt_kinds.run_memory('claims')) %}
{% endmacro %}


{# Whether another run claimed a table before this one, as far as the store remembers. #}
{% macro was_claimed_before(relation) %}
  {% set key = dbt_kinds.relation_key(relation.database, relation.schema, relation.identifier) %}
  {% do return(dbt_kinds.own_claims().get(key, {}).get('had_others', false)) %}
{% endmacro %}


{# Every event of a run is a sign of life for its lease on that table, but for the one that ends it, and for those of a
   claim that it had asked for ahead. #}
{% macro renew_lease(event) %}
  {% set claims = dbt_kinds.own_claims() %}
  {% if event.relation in claims and event.invocation_id == invocation_id and event.source != 'ahead' %}
    {% do claims[event.relation].update({'sign_of_life': event.recorded_at}) %}
    {% do claims.pop(event.relation) if event.event == 'released' %}
  {% endif %}
{% endmacro %}


{#
  Called before a write and before its record: a run that was silent for longer than its lease lasts may have been
  superseded, by one that is still there or by one that has ended since, which may have died while it wrote.
#}
{% macro assert_lease(options) %}
  {% if not dbt_kinds.is_overdue(options) %}
    {% do return(none) %}
  {% endif %}
  {% set part = dbt_kinds.claimed_part(options.relation) %}
  {% set known = dbt_kinds.recorded_facts(options.relation, part) %}
  {% set rivals = dbt_kinds._live_rivals(options) %}
  {% do dbt_kinds._fail_for_lease(options, rivals[0]) if rivals %}
  {% set has_recorded = dbt_kinds.recorded_facts(options.relation, part) != known %}
  {# what is not recorded is loaded again, which must not happen to what was appended or merged once #}
  {% set may_be_half_written = dbt_kinds.is_repeatable(options)
    and dbt_kinds.is_taken_over(options, dbt_kinds.log_of(options.relation).rows) %}
  {% if has_recorded or may_be_half_written %}
    {% do dbt_kinds.fail(options.model,
      'this run was silent for longer than its lease lasts, and meanwhile another one '
        ~ ('recorded what it did to ' if has_recorded else 'claimed ') ~ options.relation
        ~ '; run it again, with a greater kinds_lease_seconds if its statements take that long') %}
  {% endif %}
{% endmacro %}


{# Whether another run claimed a table since this one's last sign of life, according to the table's log. #}
{% macro is_taken_over(options, log) %}
  {% set own, claims = dbt_kinds.own_claims().get(options.relation, {}), [] %}
  {% for row in log if row.event == 'claimed' and row.invocation_id != invocation_id
      and row.recorded_at > own.get('sign_of_life', '') %}
    {% do claims.append({'relation': row.relation, 'part': dbt_kinds.part_of_claim(row)}) %}
  {% endfor %}
  {% do return(dbt_kinds.claims_on(options.relation, claims, own.get('part')) != []) %}
{% endmacro %}


{# The live claims of others, if this run was silent for longer than its lease lasts; else none are looked for. #}
{% macro successors(options) %}
  {% do return(dbt_kinds._live_rivals(options) if dbt_kinds.is_overdue(options) else []) %}
{% endmacro %}


{# Whether this run was silent for longer than its lease on a model lasts. #}
{% macro is_overdue(options) %}
  {% set claim = dbt_kinds.own_claims().get(options.relation) %}
  {% do return(claim is not none and dbt_kinds.is_silent_for(claim, claim.seconds)) %}
{% endmacro %}


{# Whether the last sign of life of a claim of this run is so many seconds ago, or more. #}
{% macro is_silent_for(claim, seconds) %}
  {% do return(dbt_kinds.moment_after(claim.sign_of_life, seconds) <= dbt_kinds.next_moment()) %}
{% endmacro %}


{# Whether another live run holds the lease on a model. #}
{% macro is_claimed_by_others(options) %}
  {% do return(dbt_kinds._live_rivals(options) != []) %}
{% endmacro %}


{# Raises while another run is writing the model. #}
{% macro check_no_lease(options) %}
  {% set rivals = dbt_kinds._live_rivals(options) %}
  {% do dbt_kinds._fail_for_lease(options, rivals[0]) if rivals %}
{% endmacro %}


{# The event that ends this run's lease on a model, to be added to another append; empty if it holds none, or if its
   record is on its way, with which it ends. #}
{% macro release_event(options) %}
  {% do return([{'event': 'released'}]
    if options.relation in dbt_kinds.own_claims() and not dbt_kinds.has_record_to_send(options.relation) else []) %}
{% endmacro %}


{# Ends this run's lease on a model, if it holds one, with the reason if the model failed; `also` are events to append
   with it. #}
{% macro release_lease_of(options, failure=none, also=[]) %}
  {% set released = dbt_kinds.release_event(options) %}
  {% if released %}
    {% set failed = [{'event': 'failed', 'message': failure}] if failure is not none else [] %}
    {% do dbt_kinds.append_events(options, failed + also + released) %}
  {% endif %}
{% endmacro %}


{# An error as one line without the frames of Java's stack, at most 500 characters. Pure. #}
{% macro short_message(message) %}
  {% set lines = modules.re.sub('(?m)^\s*(at |[.][.][.] [0-9]+ more).*$', '', (message or '') | string).split() %}
  {% do return(lines | join(' ') | truncate(500, true)) %}
{% endmacro %}


{# The live claims of other runs on a model, or on the whole store (a compaction), oldest first. Re-reads the store. #}
{% macro _live_rivals(options) %}
  {% do return(dbt_kinds.claims_on(options.relation, dbt_kinds._claims_of_others(options).live,
    dbt_kinds.claimed_part(options.relation))) %}
{% endmacro %}


{# The claims of other runs on a model and on the whole store, as open_claims_of_others returns them. #}
{% macro _claims_of_others(options, questions={}) %}
  {% do return(dbt_kinds.open_claims_of_others(dbt_kinds.read_last_runs() if options.relation == dbt_kinds.store_key()
    else dbt_kinds._reread(options.relation, questions))) %}
{% endmacro %}


{# The claims of other runs in a log, `{live, dead}`, oldest first: dead are those whose process was found gone. #}
{% macro open_claims_of_others(log) %}
  {% set rivals, dead = [], [] %}
  {% for claim in dbt_kinds.open_claims(log) if claim.invocation_id != invocation_id %}
    {% if dbt_kinds.is_live(claim) %}
      {% do rivals.append(claim) %}
    {% elif claim.expires_at > dbt_kinds.next_moment() %}
      {% do dead.append(claim) %}
    {% endif %}
  {% endfor %}
  {% do return({'live': rivals | sort(attribute='claimed_at'), 'dead': dead}) %}
{% endmacro %}


{# The log of a table and of the store's lease, read anew: what others recorded replaces what this run knew of the
   table. #}
{% macro _reread(relation, questions) %}
  {% set answers = {} %}
  {% set log = dbt_kinds.read_claims([relation], answers, questions) %}
  {% set rows = log | selectattr('relation', 'eq', relation) | list %}
  {% for row in rows if row.is_unreadable is defined %}{% do dbt_kinds.fail_unreadable(relation, row) %}{% endfor %}
  {% do dbt_kinds.replace_log(relation, rows) %}
  {% do dbt_kinds.own_claims().get(relation,
    {}).update({'table_state': dict(answers, recorded_head=dbt_kinds._recorded_head(rows)),
      'had_others': dbt_kinds.has_claims_of_others(rows)}) %}
  {% do return(log) %}
{% endmacro %}


{# The events of some relations and of the store's lease. The first such read of a run also counts the store's files. #}
{% macro read_claims(relations, answers={}, questions={}) %}
  {% set log = dbt_kinds.read_log(relations + [dbt_kinds.store_key()],
    dict(dbt_kinds.store_files_question(), **questions), answers, is_checked=true) %}
  {% do dbt_kinds.keep_number_of_files(answers) %}
  {% do return(log) %}
{% endmacro %}


{# Whether another run ever claimed a table, according to its events. Pure. #}
{% macro has_claims_of_others(rows) %}
  {% do return(rows | selectattr('event', 'eq', 'claimed') | rejectattr('invocation_id', 'eq', invocation_id) | list
    != []) %}
{% endmacro %}


{# The snapshot that the last recorded write left, according to the events of a table; none if none is recorded.
   Pure. #}
{% macro _recorded_head(rows) %}
  {% set written = rows | selectattr('event', 'eq', 'loaded') | selectattr('snapshot_id', 'defined')
    | map(attribute='snapshot_id') | list %}
  {% do return(written[-1] if written else none) %}
{% endmacro %}


{#
  Releases the claims of runs whose process was found gone, by the run that now has the lease. Left open, such a claim
  would block again as soon as the operating system gives the number of that process to another one.
#}
{% macro _release_dead_claims(options, dead) %}
  {% set events = [] %}
  {% for claim in dead if claim.relation in [options.relation, dbt_kinds.store_key()] %}
    {% do events.append(dbt_kinds.release_of_dead(claim)) %}
  {% endfor %}
  {% do dbt_kinds.append_events(options, events) %}
{% endmacro %}


{% macro release_of_dead(claim) %}
  {% do return(dbt_kinds.release_of(claim,
    'its process was gone; the run of ' ~ dbt_kinds.next_moment()[:16] | replace('T', ' ') ~ ' UTC took over')) %}
{% endmacro %}


{# The event that ends another run's lease; the source says that the run did not end it itself. #}
{% macro release_of(claim, message) %}
  {% do return({'event': 'released', 'relation': claim.relation, 'invocation_id': claim.invocation_id,
    'source': 'release_lease', 'message': message}) %}
{% endmacro %}


{% macro _fail_for_lease(options, claim) %}
  {% set select = options.model if claim.relation in [options.relation, dbt_kinds.store_key()]
    else (claim.model or '').split('.')[1:3] | join('.') %}
  {% do dbt_kinds.fail(options.model,
    'another run holds the lease on ' ~ claim.relation
    ~ (' from ' ~ claim.part[0] ~ ' to ' ~ claim.part[1] if claim.get('part') else '')
    ~ ': invocation ' ~ claim.invocation_id ~ ', claimed at '
    ~ claim.claimed_at[:19] ~ ', last sign of life at ' ~ claim.last_sign_of_life[:19] ~ ', expires at '
    ~ claim.expires_at[:19]
    ~ " (UTC); wait for it, or, if that run is gone: dbt run-operation dbt_kinds.release_lease --args '{select: "
    ~ select ~ "}'") %}
{% endmacro %}
