{#
  Replaces the rows of `relation` in the range of a batch by those of `query`, and returns what commit_of returns, or
  `rows_written`, plus `sql`. Its write spec comes from range_write_spec.
#}
{% macro replace_range(relation, run_context, batch, query) %}
  {% set write_spec = run_context.write_spec %}
  {% set condition = dbt_kinds.range_condition(write_spec.time_column, write_spec.bounds, batch) %}
  {% set sql = dbt_kinds.filtered_query(query, condition, write_spec.selected) %}
  {% if dbt_kinds.is_file_format(write_spec.file_format) %}
    {% do return(dbt_kinds.overwrite_partitions(relation, write_spec, sql, condition,
      dbt_kinds._files_before(relation, run_context))) %}
  {% endif %}
  {# one commit, including emptied intervals; Iceberg refuses that if a file has rows on both sides of a bound: then
     there are two commits, within a range that is not recorded as loaded #}
  {% if not write_spec.in_one_commit %}
    {% call statement('delete_range') %}
delete from {{ relation }} where {{ condition }}
    {% endcall %}
    {# rows that another run has put there meanwhile would be doubled #}
    {% do dbt_kinds.assert_lease(run_context.options) %}
  {% endif %}
  {# the newest commit may be that of a run beside this one #}
  {% set is_shared = dbt_kinds.claimed_part(run_context.options.relation) is not none %}
  {% set before = dbt_kinds.table_state(relation, run_context, 'head')
    if write_spec.file_format == 'delta' and not is_shared else none %}
  {% set insert -%}
insert into {{ relation }}{{ ' replace where ' ~ condition if write_spec.in_one_commit }}
{{ sql }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% set written = dbt_kinds.rows_where(relation, condition) if is_shared
    else dbt_kinds.commit_of(relation, write_spec.file_format, before) %}
  {% do return(dict(written, sql=insert)) %}
{% endmacro %}


{# A file of each partition in the window of the run; each batch overwrites its own partitions, so reading them once is
   enough. #}
{% macro _files_before(relation, run_context) %}
  {% if run_context.files_before is not defined %}
    {% set whole = dbt_kinds.range_condition(run_context.write_spec.time_column, run_context.write_spec.bounds,
      [run_context.plan.batches[0][0], run_context.plan.batches[-1][1]]) %}
    {% do run_context.update({'files_before': dbt_kinds.partition_files(relation, run_context.write_spec, whole)
      if not run_context.write_spec.is_new else []}) %}
  {% endif %}
  {% do return(run_context.files_before) %}
{% endmacro %}
