{#
  Claims for models that come later: when a run begins (open_run), and when few such claims are left, one append claims
  the next models that are surely due, and the read that follows decides about all of them. Where it shows another run,
  the claim is given back at once, and the model asks again, alone, when its turn comes. As many models as are
  `about_to_begin` are claimed beside those that come later.

  `run_memory('ahead')` has them by relation, each as in own_claims, with `is_held`, once a read has shown no other
  claim, `known`, what was recorded before that read, and `others_wrote`, whether it was something else after. Each is
  taken out once: by its model, whose claim it is from then on, or by whoever gives it back.
  `run_memory('releases_ahead')` has, by relation, the events with which claims are given back, until their append is
  done.
#}
{% macro claim_ahead(execution_time, about_to_begin=0) %}
  {% set ahead, most = dbt_kinds.run_memory('ahead'), dbt_kinds.claims_at_once() %}
  {% set most = most + about_to_begin if most else 0 %}
  {# claims of models that are skipped stay until the run ends #}
  {% if ahead | length > [most // 2 - 1, 0] | max or not dbt_kinds.know_of_each_other() %}
    {% do return(none) %}
  {% endif %}
  {% set claims, events, relations = dbt_kinds._claims_of_next(execution_time, most - ahead | length), [], [] %}
  {% for claim in claims %}
    {% do events.extend(claim.events) %}
    {% do relations.append(claim.options.relation) %}
  {% endfor %}
  {% if claims %}
    {% do dbt_kinds.add_events(events) %}
    {% do dbt_kinds._decide(claims, dbt_kinds.read_claims(relations)) %}
  {% endif %}
{% endmacro %}


{# The claims of the next models that are surely due, at most `number` of them, as run_memory('ahead') has them from now
   on. #}
{% macro _claims_of_next(execution_time, number) %}
  {% set ahead, claims, seconds = dbt_kinds.run_memory('ahead'), [], dbt_kinds.store_settings().lease_seconds %}
  {% for node in dbt_kinds.next_due_models(number) %}
    {% set options = {'relation': dbt_kinds.relation_key(node.database, node.schema, node.alias),
      'unique_id': node.unique_id, 'kind': node.config.materialized, 'model': node.name} %}
    {% set events = dbt_kinds.whole_events(options,
      [dict(dbt_kinds.claim_event(execution_time, seconds), source='ahead')]) %}
    {# nothing was asked of its table; refresh_if_stale knows #}
    {% set claim = {
      'options': options, 'seconds': seconds, 'sign_of_life': events[0].recorded_at, 'table_state': {},
      'is_held': false, 'known': dbt_kinds.recorded_facts(options.relation),
      'others_wrote': false, 'events': events,
    } %}
    {% do ahead.update({options.relation: claim}) %}
    {% do claims.append(claim) %}
  {% endfor %}
  {% do return(claims) %}
{% endmacro %}


{% macro has_claims_ahead() %}
  {% do return(dbt_kinds.run_memory('ahead') | length > 0) %}
{% endmacro %}


{# How many models that come later a model claims with its own; a killed run blocks them until its lease expires, unless
   its session is known to be gone. #}
{% macro claims_at_once() %}
  {% set given = dbt_kinds.store_settings().claim_ahead %}
  {% do return(given if given is not none else 16 if dbt_kinds.is_embedded() else 4) %}
{% endmacro %}


{# Decides about claims by what was read after their append. #}
{% macro _decide(claims, log) %}
  {% set ahead, others = dbt_kinds.run_memory('ahead'), dbt_kinds.open_claims_of_others(log) %}
  {% set releases, events, by_relation = {}, [], {} %}
  {% for row in log %}{% do by_relation.setdefault(row.relation, []).append(row) %}{% endfor %}
  {% for claim in claims %}
    {% set relation = claim.options.relation %}
    {% set rows = by_relation.get(relation, []) %}
    {# a release ends every older claim of the run on the table, so its moment is taken before the model can claim for
       itself #}
    {% set released = dbt_kinds._release_ahead(claim.options) %}
    {% if dbt_kinds.claims_on(relation, others.live) or rows | selectattr('is_unreadable', 'defined') | list %}
      {% do releases.update({relation: released}) if ahead.pop(relation, none) is not none %}
    {# if its model has asked for itself meanwhile, what that read is newer #}
    {% elif relation in ahead %}
      {% do dbt_kinds.replace_log(relation, rows) %}
      {% for one in others.dead if one.relation == relation %}
        {% do events.extend(dbt_kinds.whole_events(claim.options, [dbt_kinds.release_of_dead(one)])) %}
      {% endfor %}
      {% do claim.update({'had_others': dbt_kinds.has_claims_of_others(rows),
        'others_wrote': dbt_kinds.recorded_facts(relation) != claim.known, 'is_held': true}) %}
    {% endif %}
  {% endfor %}
  {% do dbt_kinds._give_back(releases, also=events) if releases or events %}
{% endmacro %}


{# The claim of a model whose turn has come, which is its own from now on; none if it has to ask, also because the claim
   is older than half its lease. #}
{% macro take_claim_ahead(options) %}
  {% set claim = dbt_kinds.run_memory('ahead').pop(options.relation, none) %}
  {% if claim is none or not claim.is_held or dbt_kinds.is_silent_for(claim, claim.seconds / 2) %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.own_claims().update({options.relation: dict(claim, options=options)}) %}
  {% do return(claim) %}
{% endmacro %}


{# Whether the claim that this run holds on a model was asked for by one before it. #}
{% macro was_claimed_ahead(options) %}
  {% do return(dbt_kinds.own_claims().get(options.relation, {}).get('is_held', false)) %}
{% endmacro %}


{# Gives back the claim of a model that has nothing to do after all, because another run has done it. #}
{% macro give_back_claim_ahead(options) %}
  {% set ahead = dbt_kinds.run_memory('ahead') %}
  {% if options.relation in ahead %}
    {% set released = dbt_kinds._release_ahead(options) %}
    {% do dbt_kinds._give_back({options.relation: released}) if ahead.pop(options.relation, none) is not none %}
  {% endif %}
{% endmacro %}


{# Gives back what is left when a run ends, and appends other whole events, and all records that are not known to be in
   the store. #}
{% macro give_back_claims_ahead(also=[]) %}
  {% set ahead, releases = dbt_kinds.run_memory('ahead'), dbt_kinds.run_memory('releases_ahead').copy() %}
  {% for relation, claim in ahead.copy().items() %}
    {% do releases.update({relation: dbt_kinds._release_ahead(claim.options)})
      if ahead.pop(relation, none) is not none %}
  {% endfor %}
  {% do dbt_kinds._give_back(releases, also, with_sent=true) %}
{% endmacro %}


{% macro _release_ahead(options) %}
  {% do return(dbt_kinds.whole_events(options, [{'event': 'released', 'source': 'ahead'}])) %}
{% endmacro %}


{# Appends releases, which are lists of events by relation, with other whole events. They are remembered until that is
   done: if it fails, the end of the run appends them. #}
{% macro _give_back(releases, also=[], with_sent=false) %}
  {% set unsent, events = dbt_kinds.run_memory('releases_ahead'), also.copy() %}
  {% do unsent.update(releases) %}
  {% for released in releases.values() %}{% do events.extend(released) %}{% endfor %}
  {% do dbt_kinds.add_events(events, with_sent=with_sent) if events or with_sent %}
  {% for relation in releases %}{% do unsent.pop(relation, none) %}{% endfor %}
{% endmacro %}
