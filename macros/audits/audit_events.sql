{# The events that record the findings of a batch's audits. Pure. #}
{% macro audit_events(batch, execution_time, findings) %}
  {% set events = [] %}
  {% for finding in findings %}
    {% do events.append({
      'event': 'audit_failed' if finding.is_error else 'audit_warned', 'interval_start': batch[0],
      'interval_end': batch[1], 'execution_time': execution_time,
      'message': finding.audit.name, 'details': {'audit': finding.audit.name, 'failures': finding.failures},
    }) %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}


{#
  The audits of a relation according to a log: `failed`, the batches that were refused and not loaded since,
  `[{start, end, audit, failures, recorded_at}]`, and `skipped`, the intervals that were published without audits and
  not loaded since.
#}
{% macro audits_in_log(relation, log) %}
  {% set rows, failed, skipped = log | selectattr('relation', 'eq', relation) | list, [], [] %}
  {% for row in dbt_kinds.open_findings((rows | selectattr('event', 'eq', 'audit_failed') | list)
      + dbt_kinds.events_of(relation)) %}
    {% do failed.append(dict(dbt_kinds.details_of(row), start=row.interval_start, end=row.interval_end,
      recorded_at=row.recorded_at)) %}
  {% endfor %}
  {% set unaudited = rows | selectattr('event', 'eq', 'loaded') | map(attribute='recorded_at') | list %}
  {% for load in dbt_kinds.loads_of(relation) if load.recorded_at in unaudited %}
    {% do skipped.append([load.start, load.end]) %}
  {% endfor %}
  {% do return({'failed': failed, 'skipped': dbt_kinds.merge_intervals(skipped)}) %}
{% endmacro %}


{# The findings in a relation's log that still hold, because their interval has not been loaded since. Pure. #}
{% macro open_findings(rows) %}
  {% set found = [] %}
  {% for finding in rows if finding.event == 'audit_failed' %}
    {% set later = [] %}
    {% for row in rows if row.event == 'loaded' and row.recorded_at > finding.recorded_at
        and row.interval_start < finding.interval_end and row.interval_end > finding.interval_start %}
      {% do later.append(row) %}
    {% endfor %}
    {% do found.append(finding) if not later %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}
