{#
  SQL: one row, the `snapshot_id` that an Iceberg table stands at and the `rows_written` by that commit; none were where it still stands at `before`,
  since nothing is no commit.
#}
{% macro newest_commit(relation, before=none) %}
  {% set sql -%}
select max(snapshot_id) as snapshot_id, coalesce(max(
  {%- if before is not none %}if(snapshot_id = {{ before }}, 0, {% endif -%}
  cast(summary['added-records'] as bigint){{ ')' if before is not none }}), 0) as rows_written
from {{ relation }}.snapshots
where snapshot_id in (select snapshot_id from {{ relation }}.refs where name = 'main')
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{#
  What the record of a write says of its commit, as `{snapshot_id, rows_written, commit}`: on Iceberg a query, which the record takes along; a Delta
  version, of which nobody counted the rows; of files nothing.
#}
{% macro commit_of(relation, file_format, before=none) %}
  {% if file_format == 'iceberg' %}
    {% do return({'commit': dbt_kinds.newest_commit(relation, before), 'rows_written': none}) %}
  {% elif file_format == 'delta' %}
    {% do return({'snapshot_id': dbt_kinds.current_snapshot(relation, file_format), 'rows_written': 0}) %}
  {% endif %}
  {% do return({}) %}
{% endmacro %}


{#
  How many rows an Iceberg table was given since it stood at a snapshot; since it was made where that is none. `by_appends` where the run deletes first,
  which writes the rest of a file anew.
#}
{% macro rows_added_since(relation, head, by_appends=false) %}
  {% set rows %}
select coalesce(sum(cast(summary['added-records'] as bigint)), 0) as added
from {{ relation }}.snapshots
where {{ "operation = 'append'" if by_appends else 'true' }}
{%- if head is not none %}
  and committed_at > (select max(committed_at) from {{ relation }}.snapshots where snapshot_id = {{ head }})
{%- endif %}
  {%- endset %}
  {% do return(dbt_kinds.query_rows(rows)[0].added) %}
{% endmacro %}
