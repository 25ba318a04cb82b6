{# The merges that built a table of SCD type 2, in order of their instants, as recorded_batches_in_log returns them. Not
   to be changed. #}
{% macro recorded_batches(options) %}
  {% set log = dbt_kinds.log_of(options.relation) %}
  {% set views = log.views %}
  {% if 'batches' not in views %}
    {# not what the table had while it was of another kind #}
    {% set merges = dbt_kinds.events_of(options.relation) | selectattr('kind', 'in', dbt_kinds.timeline_kinds()) %}
    {% do views.update({'batches': dbt_kinds.recorded_batches_in_log(merges | list, options)}) %}
  {% endif %}
  {% do return(views.batches) %}
{% endmacro %}


{#
  The merged batches of one relation according to a log: `{start, end, instant, snapshot_id}`. A restatement withdrew
  those at or after its instant, whatever their windows; any other invalidation withdraws its interval, and with it a
  batch of which nothing is left. Pure.
#}
{% macro recorded_batches_in_log(rows, options) %}
  {% set state = namespace(batches=[]) %}
  {% for row in dbt_kinds.sorted_backwards(rows, 'event') | sort(attribute='recorded_at') %}
    {% set details = fromjson(row.details) if row.get('details') else {} %}
    {% if row.event == 'loaded' %}
      {% do state.batches.append({
        'start': row.interval_start, 'end': row.interval_end, 'snapshot_id': row.get('snapshot_id'),
        'instant': details.get('instant') or dbt_kinds._stated_instant(options, row),
        'left': [[row.interval_start, row.interval_end]],
      }) %}
    {% else %}
      {% set kept = [] %}
      {% for batch in state.batches %}
        {% if details.get('restated_from') is none %}
          {% do batch.update({'left': dbt_kinds.subtract_intervals(batch.left,
            [[row.interval_start, row.interval_end]])}) %}
        {% endif %}
        {% do kept.append(batch) if batch.left
          and (details.get('restated_from') is none or batch.instant < details.restated_from) %}
      {% endfor %}
      {% set state.batches = kept %}
    {% endif %}
  {% endfor %}
  {% set batches = [] %}
  {% for batch in state.batches | sort(attribute='instant') %}
    {% do batches.append({'start': batch.start, 'end': batch.end, 'instant': batch.instant,
      'snapshot_id': batch.snapshot_id}) %}
  {% endfor %}
  {% do return(batches) %}
{% endmacro %}


{# For an interval recorded by the operation `record`: the instant of the batch of its last unit. #}
{% macro _stated_instant(options, row) %}
  {% if options.batch_size or not row.get('execution_time') %}
    {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index_after(row.interval_end, options.unit) - 1, options.unit)) %}
  {% endif %}
  {% do return(row.execution_time) %}
{% endmacro %}
