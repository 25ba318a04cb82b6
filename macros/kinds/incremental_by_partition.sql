{% materialization incremental_by_partition, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_incremental_by_partition(options) %}
  {% do return({'write_spec': 'partition_write_spec', 'write': 'replace_partitions', 'replaces_partitions': true,
    'rebuilds_to_restate': true}) %}
{% endmacro %}
