{# The table of rejected lines, beside the model's own. #}
{% macro rejects_table(relation) %}
  {% do return(relation.incorporate(path={'identifier': relation.identifier ~ '__rejected'})) %}
{% endmacro %}


{# Removes all rejected lines, before a rebuild reads everything again as one batch of files. If killed, the next run
   goes on with the rebuild. #}
{% macro clear_rejects(relation) %}
  {% set rejects = dbt_kinds.rejects_table(relation) %}
  {% if dbt_kinds.relation_type(rejects) is not none %}
    {% set is_file_format = dbt_kinds.is_file_format(dbt_kinds.describe_table(rejects).file_format) %}
    {% call statement('clear_rejects') %}
      {{ 'truncate table' if is_file_format else 'delete from' }} {{ rejects }}{% endcall %}
  {% endif %}
{% endmacro %}


{#
  Stores the rejected lines of a batch of files, with reason and line number. Each batch is a partition, which a second
  attempt replaces. Line numbers come from reading the files with rejected lines once more; rows of a landing table have
  none.
#}
{% macro keep_rejects(relation, options, file_batch, lines, files) %}
  {% set rejects = dbt_kinds.rejects_table(relation) %}
  {% if dbt_kinds.relation_type(rejects) is none %}
    {% call statement('create_rejects') %}
create table if not exists {{ rejects }} (file string, line bigint, text string, reason string, rejected_at timestamp,
  claim string)
using {{ options.file_format }}
partitioned by (claim)
    {% endcall %}
    {% do dbt_kinds.cache_table(rejects) %}
  {% endif %}
  {% call statement('keep_rejects') %}
insert overwrite table {{ rejects }} partition (claim = {{ dbt_kinds.text_literal(file_batch.id) }})
  {%- if options.landing_table is not none %}
select _kinds_file, cast(null as bigint), _kinds_text, _kinds_reason,
  {{ dbt_kinds.time_literal('dt', dbt_kinds.next_moment()) }}
from {{ lines }} where _kinds_reason is not null
  {%- else %}
select {{ dbt_kinds.file_name('numbered.file') }}, numbered.line, numbered.text, rejected.reason,
  {{ dbt_kinds.time_literal('dt', dbt_kinds.next_moment()) }}
from (
  select file, text, row_number() over (partition by file order by block, place) as line
  from (
    select _metadata.file_name as file, value as text, _metadata.file_block_start as block,
      monotonically_increasing_id() as place
    from text.{{ dbt_kinds.quoted(options.landing) }}
    where _metadata.file_name in ({{ dbt_kinds.text_literals(files) }})
  )
) as numbered
join (select distinct _kinds_file as file, _kinds_text as text, _kinds_reason as reason from {{ lines }}
  where _kinds_reason is not null) as rejected
  on rejected.file = numbered.file and rejected.text = numbered.text
  {%- endif %}
  {% endcall %}
{% endmacro %}
