{#
  The contents of a Parquet or ORC table's partitions: by the instant of each `value` of the column, a hash of the
  newest file's time, the number of files and their size. No data columns are read. Read once per run.
#}
{% macro partition_hashes(facts, column, values, value='{}') %}
  {% set place = value | replace('{}', column) %}
  {% if place not in facts.partitions %}
    {% set sql %}
select first, substr(md5(concat_ws(' ', max(written), count(*), sum(size))), 1, 8) as hash
from (
  select first, path, max(written) as written, max(size) as size
  from (
    select
      {{ dbt_kinds.clamped_seconds(value | replace('{}', dbt_kinds.quoted(column)), values) }} as first,
      _metadata.file_path as path,
      unix_micros(_metadata.file_modification_time) as written, _metadata.file_size as size
    from {{ facts.relation }}
  )
  where first is not null
  group by first, path
)
group by first
    {%- endset %}
    {% set hashes = {} %}
    {% for row in dbt_kinds.query_rows(sql) %}
      {% do hashes.update({dbt_kinds.instant_at(row.first): row.hash}) %}
    {% endfor %}
    {% do facts.partitions.update({place: hashes}) %}
  {% endif %}
  {% do return(facts.partitions[place]) %}
{% endmacro %}
