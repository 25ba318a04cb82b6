{% materialization incremental_by_partition, default %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.partition_writer, write=dbt_kinds.replace_partitions)) %}
{% endmaterialization %}
