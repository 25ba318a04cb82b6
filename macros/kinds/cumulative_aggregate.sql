{% materialization cumulative_aggregate, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.cumulative_writer, write=dbt_kinds.merge_states)) %}
{% endmaterialization %}
