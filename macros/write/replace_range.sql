{#
  Replaces the rows of `relation` in the range of a batch by those of `query`, and returns what commit_of returns, or `rows_written`, plus
  `sql`. The writer of `work` comes from range_writer.
#}
{% macro replace_range(relation, work, batch, query) %}
  {% set writer = work.writer %}
  {% set condition = dbt_kinds.range_condition(writer.time_column, writer.bounds, batch) %}
  {% set sql = dbt_kinds.filtered_query(query, condition, writer.selected) %}
  {% if dbt_kinds.is_of_files(writer.file_format) %}
    {% do return(dbt_kinds.overwrite_partitions(relation, writer, sql, condition, dbt_kinds._files_before(relation, work))) %}
  {% endif %}
  {# one commit, including emptied intervals; Iceberg refuses that if a file has rows on both sides of a bound: then there are two commits, within a range that is not recorded as loaded #}
  {% if not writer.in_one_commit %}
    {% call statement('delete_range') %}
delete from {{ relation }} where {{ condition }}
    {% endcall %}
  {% endif %}
  {% set before = dbt_kinds.answer(relation, work, 'head') if writer.file_format == 'delta' else none %}
  {% set insert -%}
insert into {{ relation }}{{ ' replace where ' ~ condition if writer.in_one_commit }}
{{ sql }}
  {%- endset %}
  {% call statement('replace_range') %}{{ insert }}{% endcall %}
  {% do return(dict(dbt_kinds.commit_of(relation, writer.file_format, before), sql=insert)) %}
{% endmacro %}


{# A file of each partition in the window of the run; each batch overwrites its own partitions, so reading them once is enough. #}
{% macro _files_before(relation, work) %}
  {% if work.files_before is not defined %}
    {% set whole = dbt_kinds.range_condition(work.writer.time_column, work.writer.bounds, [work.plan.batches[0][0], work.plan.batches[-1][1]]) %}
    {% do work.update({'files_before': dbt_kinds.partition_files(relation, work.writer, whole) if not work.writer.is_new else []}) %}
  {% endif %}
  {% do return(work.files_before) %}
{% endmacro %}
