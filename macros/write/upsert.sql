{#
  Inserts the rows of a query with new keys, and applies the writer's clauses to existing rows. The batch is staged first, so that
  it is computed once and exactly the checked rows are written. A batch that check_first_batch has staged replaces the table.
#}
{% macro upsert(relation, work, batch, query) %}
  {% set options, checked = work.options, work.pop('checked', none) %}
  {% if checked is not none %}
    {% do dbt_kinds.hold_lease(options) %}
    {% do dbt_kinds.replace_by_stage(relation, options, checked.rows, work.writer.partitioning, work.existing, work.writer.schema) %}
    {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=checked.counts.all_rows,
      sql=dbt_kinds.rows_by_key(options, work.writer, query), details=dbt_kinds.versions_read(work))) %}
  {% endif %}
  {% set writer = dbt_kinds.writer_in_window(work.writer, dbt_kinds.query_window(options, batch), work.plan.execution_time) %}
  {% set work = dict(work, writer=writer) %}
  {% set stage = dbt_kinds.staged_batch(relation, work, query, relation) %}
  {% set merges = not dbt_kinds.is_of_files(options.file_format) %}
  {% set compares = options.get('capture') is not none %}
  {% set found = dbt_kinds.check_keys(options, writer, stage, batch, dbt_kinds._stored_counts(relation, writer, stage) if merges or compares else none) %}
  {% set changed = found.all_rows - found.stored_keys + (found.stored_keys - found.equal_keys if writer.clauses else 0) if compares else found.all_rows %}
  {% if compares and not changed %}
    {# the version of a Parquet or ORC table is its last load, so an empty run is noted instead of recorded, which would trigger its readers #}
    {% do return({'rows_written': 0, 'is_idle': not merges, 'sql': '-- every row is there already', 'details': dbt_kinds.versions_read(work), 'snapshot_id': none}) %}
  {% elif merges %}
    {% set sql = dbt_kinds._merge(relation, work, batch, stage, found, changed) %}
  {% else %}
    {% set sql = dbt_kinds.merged_whole(relation, writer, stage) %}
    {% set whole = dbt_kinds.stage(relation, 'whole', sql, relation) %}
    {% do dbt_kinds.put_whole_in_place(relation, work, batch, whole, changed, dbt_kinds.versions_read(work)) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=changed, sql=sql, details=dbt_kinds.versions_read(work))) %}
{% endmacro %}


{#
  Merges the rows that differ. Existing rows are updated in one commit and new ones inserted in another, which saves Spark a shuffle of the
  table; if killed between them, the batch is repeated. Custom when_matched clauses may not be idempotent, so that write is announced and
  done in one commit. Returns the statements.
#}
{% macro _merge(relation, work, batch, stage, found, rows) %}
  {% set options, writer = work.options, work.writer %}
  {% set statements = [] %}
  {% if options.when_matched is not none %}
    {% set is_iceberg = options.file_format == 'iceberg' %}
    {% do dbt_kinds.announce_write(work, batch, {
      'write': 'merge', 'application': dbt_kinds.spark_application() if is_iceberg else none, 'rows': rows, 'details': dbt_kinds.versions_read(work),
    }, dbt_kinds.answer(relation, work, 'head') if is_iceberg else dbt_kinds.current_snapshot(relation, options.file_format)) %}
    {% do statements.append(dbt_kinds.keyed_merge(relation, writer, stage, writer.clauses, true)) %}
  {% else %}
    {% if writer.clauses and found.equal_keys < found.stored_keys %}
      {% set differs = writer.is_same ~ (' and not (' ~ writer.is_equal ~ ')' if writer.is_equal else '') %}
      {% do statements.append(dbt_kinds.keyed_merge(relation, writer, stage, writer.clauses, false, differs)) %}
    {% endif %}
    {% if found.stored_keys < found.all_rows %}
      {% do statements.append(dbt_kinds._insert_statement(relation, writer, stage, found.stored_keys > 0)) %}
    {% endif %}
  {% endif %}
  {% for sql in statements %}
    {% do dbt_kinds.hold_lease(options) %}
    {% call statement('upsert') %}{{ sql }}{% endcall %}
  {% endfor %}
  {% do return(statements | join(';\n') or '-- every row of the batch is there already') %}
{% endmacro %}


{# SQL: how many keys of the batch exist in the table, and how many of these rows an update would leave unchanged. #}
{% macro _stored_counts(relation, writer, stage) %}
select count(*) as stored_keys, count_if(is_equal) as equal_keys from (
  {{- dbt_kinds._stored_keys(relation, writer, stage) }}
)
{%- endmacro %}


{# SQL: an insert of the staged rows whose keys are not in the table. #}
{% macro _insert_statement(relation, writer, stage, some_are_stored) %}
  {% set sql -%}
insert into {{ relation }}
select source.{{ writer.columns | join(', source.') }}
from {{ stage }} as source
  {%- if some_are_stored %} left anti join (
    {{- dbt_kinds._stored_keys(relation, writer, stage) }}
) as stored on struct({{ writer.source_keys | join(', ') }}) <=> stored.key
  {%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# An inner join, which Spark executes without shuffling the table; an anti join of the batch with the table shuffles it (2 million rows: 1 s instead of 4 s). #}
{% macro _stored_keys(relation, writer, stage) %}
  select struct({{ writer.source_keys | join(', ') }}) as key, bool_and({{ writer.is_equal or 'false' }}) as is_equal
  from {{ relation }} as target join {{ stage }} as source on {{ writer.is_same }}
  group by all
{%- endmacro %}


{#
  The whole table after the merge, for formats that cannot merge. Both rows of a pair are kept as structs named like
  the aliases, so that expressions on source and target work unchanged.
#}
{% macro merged_whole(relation, writer, stage) %}
  {% set deleted = writer.clauses | selectattr('action', 'eq', 'delete') | map(attribute='name') | list %}
  {% set sql -%}
select
  {%- for column in writer.schema %}
  case action
    when 'insert' then source.{{ dbt_kinds.quoted(column.name) }}
    {%- for clause in writer.clauses if clause.action == 'update' %}
      {%- for assignment in clause.assignments if assignment.column | lower == column.name | lower %}
    when '{{ clause.name }}' then {{ assignment.expression }}
      {%- endfor %}
    {%- endfor %}
    else target.{{ dbt_kinds.quoted(column.name) }}
  end as {{ dbt_kinds.quoted(column.name) }}{{ ',' if not loop.last }}
  {%- endfor %}
from (
  select
    struct(target.*) as target, struct(source.*) as source,
    case
      when source.__kinds_is_there is null then 'keep'
      when target.__kinds_is_there is null then 'insert'
      {%- for clause in writer.clauses %}
      when {{ clause.condition or 'true' }} then '{{ clause.name }}'
      {%- endfor %}
      else 'keep'
    end as action
  from (select *, true as __kinds_is_there from {{ relation }}) as target
  full outer join (select *, true as __kinds_is_there from {{ stage }}) as source
  on {{ writer.is_same }}
)
{%- if deleted %}
where action not in ('{{ deleted | join("', '") }}')
{%- endif %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
