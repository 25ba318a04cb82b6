{% materialization cumulative_aggregate, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{% macro kind_cumulative_aggregate(options) %}
  {% do return({
    'own_options': 'cumulative_options', 'write_spec': 'cumulative_write_spec', 'write': 'merge_aggregates',
    'accumulates': true, 'can_be_proven': true, 'appends_rows': true, 'reads_its_table': true,
    'rebuilds_to_restate': true,
  }) %}
{% endmacro %}
