{% materialization incremental_unmanaged, default %}
  {% if dbt_kinds.options_of(model).insert_overwrite %}
    {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.partition_writer, write=dbt_kinds.replace_partitions)) %}
  {% endif %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.append_writer, write=dbt_kinds.append_once)) %}
{% endmaterialization %}
