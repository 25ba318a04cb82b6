{% materialization incremental_by_unique_key, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.key_writer, write=dbt_kinds.upsert)) %}
{% endmaterialization %}
