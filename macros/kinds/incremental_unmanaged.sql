{% materialization incremental_unmanaged, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_incremental_unmanaged(options) %}
  {% set overwrites = options.get('insert_overwrite', false) %}
  {% do return({
    'write_spec': 'partition_write_spec' if overwrites else 'append_write_spec',
    'write': 'replace_partitions' if overwrites else 'append_once',
    'replaces_partitions': overwrites, 'appends_rows': not overwrites, 'reads_its_table': true,
    'rebuilds_to_restate': true,
  }) %}
{% endmacro %}
