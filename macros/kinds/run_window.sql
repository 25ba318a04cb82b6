{# From the first batch of a run to its last; if nothing is due and only the table is created, the window of other dbt
   commands. #}
{% macro run_window(plan, settings) %}
  {% if plan.batches %}
    {% do return([plan.batches[0][0], plan.batches[-1][1]]) %}
  {% endif %}
  {% do return(dbt_kinds.preview_window(model, settings)) %}
{% endmacro %}


{# The batch itself; all time up to its end for a kind that ignores intervals, if the model has no start. #}
{% macro query_window(options, batch) %}
  {% do return(['1970-01-01T00:00:00', batch[1]] if options.traits.ignores_intervals and options.start is none
    else batch) %}
{% endmacro %}
