{# `{rows_written, snapshot_id}` of the range that was just written; the snapshot only on Iceberg. #}
{% macro last_commit(relation, file_format, condition) %}
  {% if file_format == 'iceberg' %}
    {% set newest %}
select snapshot_id, cast(coalesce(summary['added-records'], '0') as bigint) as rows_written
from {{ relation }}.snapshots
order by committed_at desc
limit 1
    {%- endset %}
    {% do return(dbt_kinds.query_rows(newest)[0]) %}
  {% endif %}
  {% if file_format == 'delta' and condition == 'true' %}
    {# to count would be to read all of it #}
    {% do return({'rows_written': 0, 'snapshot_id': dbt_kinds.current_snapshot(relation, file_format)}) %}
  {% endif %}
  {% do return(dbt_kinds.query_rows('select count(*) as rows_written from ' ~ relation ~ ' where ' ~ condition)[0]) %}
{% endmacro %}
