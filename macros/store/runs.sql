{#
  The runs in a log, newest first, one per relation and invocation:
  `{model, relation, invocation_id, execution_time, began_at, ended_at, state, loaded, invalidated, audits,
  rows_written, seconds, message, source, by}`. `state` is done, failed, refused (it failed before it claimed anything),
  running (its claim is live), died (its claim is not live and was never released), or stated (recorded by an
  operation).
#}
{% macro runs_in_log(log) %}
  {% set rows_of, seen = {}, {} %}
  {% for row in log %}
    {# a record that was sent twice is one #}
    {% set event = (row.relation, row.invocation_id, row.event, row.recorded_at, row.get('interval_start'),
      row.get('details')) %}
    {% do rows_of.setdefault((row.relation, row.invocation_id), []).append(row) if event not in seen %}
    {% do seen.update({event: true}) %}
  {% endfor %}
  {% set live = [] %}
  {% for claim in dbt_kinds.open_claims(log) if dbt_kinds.is_live(claim) %}
    {% do live.append((claim.relation, claim.invocation_id)) %}
  {% endfor %}
  {% set runs = [] %}
  {% for key, all_rows in rows_of.items() %}
    {# a claim that was given back before its model began is no run #}
    {% set given_back = all_rows | selectattr('event', 'eq', 'released') | selectattr('source', 'eq', 'ahead') | list %}
    {% set rows = all_rows | rejectattr('source', 'eq', 'ahead') | list if given_back else all_rows %}
    {% if not rows %}{% continue %}{% endif %}
    {# its model may have begun long after it was claimed #}
    {% set own = rows | rejectattr('source', 'eq', 'ahead') | list or rows %}
    {% set by_event = {'loaded': [], 'invalidated': [], 'claimed': [], 'released': [], 'failed': []} %}
    {% for row in rows %}
      {% do by_event.setdefault(row.event, []).append(row) %}
    {% endfor %}
    {% set ended = by_event.released or by_event.claimed == [] %}
    {% if by_event.failed %}
      {% set state = 'refused' if by_event.claimed == [] and dbt_kinds.refusals_among(by_event.failed[:1])
        else 'failed' %}
    {% elif not ended %}
      {% set state = 'running' if key in live else 'died' %}
    {% elif rows[-1].source == 'release_lease' %}
      {% set state = 'died' %}
    {% else %}
      {% set state = 'stated' if rows[0].source in ['record', 'adopt', 'forget'] else 'done' %}
    {% endif %}
    {% set loaded, invalidated, audits = [], [], [] %}
    {% for row in rows if row.event in dbt_kinds.findings_events() %}
      {% do audits.append(dict(dbt_kinds.details_of(row), start=row.interval_start, end=row.interval_end,
        severity='error' if row.event == 'audit_failed' else 'warn')) %}
    {% endfor %}
    {% for row in by_event.loaded %}
      {% do loaded.append({
        'start': row.interval_start, 'end': row.interval_end, 'rows_written': row.get('rows_written'),
        'seconds': row.get('seconds'),
        'recorded_at': row.recorded_at,
      }) %}
    {% endfor %}
    {% for row in by_event.invalidated %}
      {% do invalidated.append([row.interval_start, row.interval_end]) %}
    {% endfor %}
    {% do runs.append({
      'model': rows[0].get('model'), 'relation': key[0], 'invocation_id': key[1],
      'execution_time': rows | map(attribute='execution_time') | select | first or none,
      'began_at': rows[0].recorded_at if own[0] == rows[0] else own[0].get('started_at') or own[0].recorded_at,
      'ended_at': rows[-1].recorded_at if ended else none, 'state': state,
      'loaded': loaded, 'invalidated': invalidated, 'audits': audits,
      'rows_written': loaded | map(attribute='rows_written') | select | sum,
      'seconds': dbt_kinds.to_thousandths(loaded | map(attribute='seconds') | select | sum),
      'message': rows | map(attribute='message') | select | first or none,
      'source': 'run' if state == 'refused' else own[0].get('source'),
      'by': dbt_kinds.details_of(by_event.claimed[0] if by_event.claimed else {}).get('by', {}),
    }) %}
  {% endfor %}
  {% do return(dbt_kinds.sorted_backwards(runs, 'began_at')) %}
{% endmacro %}
