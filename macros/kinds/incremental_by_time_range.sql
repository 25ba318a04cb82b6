{% materialization incremental_by_time_range, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_incremental_by_time_range(options) %}
  {% do return({'own_options': 'time_range_options', 'write_spec': 'range_write_spec', 'write': 'replace_range',
    'filters_by_time': true, 'can_be_proven': true, 'writes_ranges': true}) %}
{% endmacro %}
