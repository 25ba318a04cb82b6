{# What the store says is loaded for a relation: a set of intervals. #}
{% macro coverage(relation) %}
  {% do return(dbt_kinds.fold_events(dbt_kinds.read_store().get(relation, []))) %}
{% endmacro %}


{# Replays events in the order of recorded_at; `invalidated` wins a tie. Pure. #}
{% macro fold_events(events) %}
  {% set state = namespace(covered=[], loaded=[]) %}
  {% for event in events | sort(attribute='event', reverse=true) | sort(attribute='recorded_at') %}
    {% set interval = [event.interval_start, event.interval_end] %}
    {% if event.event == 'loaded' %}
      {% do state.loaded.append(interval) %}
    {% else %}
      {% set state.covered = dbt_kinds.subtract_intervals(dbt_kinds.merge_intervals(state.covered + state.loaded), [interval]) %}
      {% set state.loaded = [] %}
    {% endif %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(state.covered + state.loaded)) %}
{% endmacro %}
