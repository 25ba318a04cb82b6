{# The kinds this version can run. A list, because dbt 2.0 does not tell which macros there are. #}
{% macro kinds() %}
  {% do return([
    'incremental_by_time_range', 'incremental_by_unique_key', 'incremental_by_partition', 'incremental_unmanaged',
    'append', 'events', 'full', 'tracked',
    'cumulative_aggregate', 'scd_type_2_by_time', 'scd_type_2_by_column', 'scd_type_2',
  ]) %}
{% endmacro %}


{# Those whose batches are merges, each after the one before, as the store and its statements ask for them; found once
   per run. #}
{% macro timeline_kinds() %}
  {% set known = dbt_kinds.run_memory('timeline_kinds') %}
  {% if 'names' not in known %}
    {% set found = [] %}
    {% for kind in dbt_kinds.kinds() if dbt_kinds.kind_traits(kind).has_merge_timeline %}
      {% do found.append(kind) %}
    {% endfor %}
    {% do known.update({'names': found}) %}
  {% endif %}
  {% do return(known.names) %}
{% endmacro %}
