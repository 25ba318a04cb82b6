{#
  The merges that made a table of SCD type 2, in the order of their instants, as recorded_batches_in_log tells them. All such tables are
  read at once, once a run.
#}
{% macro recorded_batches(options) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if memory.history_log is none %}
    {% set by_relation = {} %}
    {% for row in dbt_kinds._read_log(dbt_kinds._is_one_of('kind', dbt_kinds.history_kinds()) ~ " and event in ('loaded', 'invalidated')") %}
      {% do by_relation.setdefault(row.relation, []).append(row) %}
    {% endfor %}
    {% do memory.update({'history_log': by_relation}) %}
  {% endif %}
  {% do return(dbt_kinds.recorded_batches_in_log(memory.history_log.get(options.relation, []), options)) %}
{% endmacro %}


{# What a run appends itself, and what it reads afresh under its lease. #}
{% macro note_history(relation, row) %}
  {% set known = dbt_kinds.run_memory().history_log %}
  {% do known.setdefault(relation, []).append(row) if known is not none %}
{% endmacro %}


{% macro note_history_log(relation, log) %}
  {% set known = dbt_kinds.run_memory().history_log %}
  {% if known is not none %}
    {% set rows = log | selectattr('relation', 'eq', relation) | selectattr('event', 'in', ['loaded', 'invalidated']) | list %}
    {% do known.update({relation: rows}) %}
  {% endif %}
{% endmacro %}


{#
  The batches that a log of one relation says are merged: `{start, end, instant, snapshot_id}`. A restatement took back those at or after its
  instant, whatever their windows; anything else takes back what lies in its interval, and a batch of which nothing is left. Pure.
#}
{% macro recorded_batches_in_log(rows, options) %}
  {% set state = namespace(batches=[]) %}
  {% for row in rows | sort(attribute='event', reverse=true) | sort(attribute='recorded_at') %}
    {% set details = fromjson(row.details) if row.get('details') else {} %}
    {% if row.event == 'loaded' %}
      {% do state.batches.append({
        'start': row.interval_start, 'end': row.interval_end, 'snapshot_id': row.get('snapshot_id'),
        'instant': details.get('instant') or dbt_kinds._stated_instant(options, row), 'left': [[row.interval_start, row.interval_end]],
      }) %}
    {% else %}
      {% set kept = [] %}
      {% for batch in state.batches %}
        {% if details.get('restated_from') is none %}
          {% do batch.update({'left': dbt_kinds.subtract_intervals(batch.left, [[row.interval_start, row.interval_end]])}) %}
        {% endif %}
        {% do kept.append(batch) if batch.left and (details.get('restated_from') is none or batch.instant < details.restated_from) %}
      {% endfor %}
      {% set state.batches = kept %}
    {% endif %}
  {% endfor %}
  {% set batches = [] %}
  {% for batch in state.batches | sort(attribute='instant') %}
    {% do batches.append({'start': batch.start, 'end': batch.end, 'instant': batch.instant, 'snapshot_id': batch.snapshot_id}) %}
  {% endfor %}
  {% do return(batches) %}
{% endmacro %}


{# Of what a person stated by `record`: the batch that its last unit would have been. #}
{% macro _stated_instant(options, row) %}
  {% if options.batch_size or not row.get('execution_time') %}
    {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index_after(row.interval_end, options.unit) - 1, options.unit)) %}
  {% endif %}
  {% do return(row.execution_time) %}
{% endmacro %}
