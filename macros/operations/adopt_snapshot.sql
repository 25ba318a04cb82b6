{#
  Starts a model of SCD type 2 from the rows of a dbt snapshot: copies them under the model's column names and records
  them as merged. The snapshot's own table stays unchanged. Without `execute` nothing is written.
#}
{% macro adopt_snapshot(select=none, snapshot=none, until=none, valid_to_current=none, execute=false) %}
  {% set node = dbt_kinds.the_selected_model(select) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% set executed = dbt_kinds.true_or_false(node.name, 'execute', execute) %}
  {% do dbt_kinds.set_event_source('adopt') %}
  {% if not options.traits.has_merge_timeline %}
    {% do dbt_kinds.fail(node.name,
      'adopt_snapshot makes a dbt snapshot the start of scd_type_2_by_time or scd_type_2_by_column, and the model is of kind ' ~ options.kind) %}
  {% elif not snapshot or snapshot is not string %}
    {% do dbt_kinds.fail(node.name,
      "adopt_snapshot needs the table of the snapshot; pass snapshot: <schema>.<table>") %}
  {% endif %}
  {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) %}
  {% if dbt_kinds.table_exists(node) %}
    {% do dbt_kinds.fail(node.name,
      relation ~ ' exists already; move it away, for adopt_snapshot makes the table of the model') %}
  {% endif %}
  {% set table = dbt_kinds.describe_table(snapshot) %}
  {% set sql = dbt_kinds.adopted_history(options, table, snapshot, valid_to_current) %}
  {% set interval = dbt_kinds._adopted_interval(options, until) %}
  {% set found = dbt_kinds._check_adopted(options, sql) %}
  {% if executed %}
    {% do dbt_kinds.claim(options, {'execution_time': interval[1], 'batches': []}) %}
    {% do dbt_kinds._copy_history(relation, options, sql) %}
    {% do dbt_kinds.append_events(options, [{
      'event': 'loaded', 'interval_start': interval[0], 'interval_end': interval[1],
      'execution_time': dbt_kinds.run_settings(node.name).execution_time,
      'rows_written': found.all_rows, 'snapshot_id': dbt_kinds.current_snapshot(relation, options.file_format),
      'details': {'instant': dbt_kinds.unit_start(dbt_kinds.unit_index_after(interval[1], options.unit) - 1,
        options.unit) if options.batch_size else interval[1]},
    }]) %}
    {% do dbt_kinds.release_lease_of(options) %}
  {% endif %}
  {% do dbt_kinds.print_answer('adopt_snapshot', {
    'executed': executed, 'model': node.unique_id, 'relation': options.relation, 'rows': found.all_rows,
    'open_rows': found.open_rows,
    'adopted': [interval],
  }) %}
{% endmacro %}


{# The table of the model with those rows: in one commit, or first the table, then its rows: see create_table. #}
{% macro _copy_history(relation, options, sql) %}
  {% set columns = dbt_kinds.partition_columns_last(dbt_kinds.describe_query(sql),
    dbt_kinds.quoted_names(options.partition_by)) if dbt_kinds.is_file_format(options.file_format) else none %}
  {% call statement('create_history') %}
create table {{ relation }} {{ dbt_kinds.defined_columns(columns) if columns is not none }}
using {{ options.file_format }}
{% if options.partition_by -%}
partitioned by ({{ dbt_kinds.partition_fields(options.partition_by) | join(', ') }})
{%- endif %}
{% if columns is none %}as {{ sql }}{% endif %}
  {% endcall %}
  {% do dbt_kinds.fill_table(relation, sql, columns) if columns is not none %}
{% endmacro %}


{#
  SQL: the rows of a snapshot under a model's column names. dbt's own columns are dropped, and so are the rows with
  which hard_deletes: new_record marks a deleted key; here a period without a row means that. `valid_to_current` is
  dbt's dbt_valid_to_current. Pure.
#}
{% macro adopted_history(options, table, snapshot, valid_to_current=none) %}
  {% set valid_from = dbt_kinds.find_column(table.columns, 'dbt_valid_from') %}
  {% set valid_to = dbt_kinds.find_column(table.columns, 'dbt_valid_to') %}
  {% if valid_from is none or valid_to is none %}
    {% do dbt_kinds.fail(options.model,
      snapshot ~ ' has no columns dbt_valid_from and dbt_valid_to, so it is not the table of a dbt snapshot; it has '
      ~ table.columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set selected = [] %}
  {% for column in table.columns
      if column.name | lower not in ['dbt_scd_id', 'dbt_updated_at', 'dbt_valid_from', 'dbt_valid_to',
      'dbt_is_deleted'] %}
    {% if column.name | lower in [options.valid_from_name | lower, options.valid_to_name | lower] %}
      {% do dbt_kinds.fail(options.model,
        snapshot ~ " has a column '" ~ column.name
          ~ "', which the kind writes itself; set valid_from_name and valid_to_name") %}
    {% endif %}
    {% do selected.append(dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% set since = dbt_kinds.converted_instant(dbt_kinds.quoted(valid_from.name), valid_from.type,
    options.time_data_type) %}
  {% set until = dbt_kinds.converted_instant(dbt_kinds.quoted(valid_to.name), valid_to.type, options.time_data_type) %}
  {% if valid_to_current is not none %}
    {% set written = valid_to_current | string | trim %}
    {% set is_date = dbt_kinds.matches('[0-9]{4}-[0-9]{2}-[0-9]{2}', written) %}
    {% set until = 'nullif(' ~ until ~ ', '
      ~ (dbt_kinds.instant_literal(options.time_data_type, written ~ 'T00:00:00') if is_date else written) ~ ')' %}
  {% endif %}
  {% do selected.append(since ~ ' as ' ~ dbt_kinds.quoted(options.valid_from_name)) %}
  {% do selected.append(until ~ ' as ' ~ dbt_kinds.quoted(options.valid_to_name)) %}
  {% set is_deleted = dbt_kinds.find_column(table.columns, 'dbt_is_deleted') %}
  {% set kept = 'true' if is_deleted is none
    else 'not coalesce(lower(cast(' ~ dbt_kinds.quoted(is_deleted.name) ~ " as string)) = 'true', false)" %}
  {% do return(dbt_kinds.filtered_query('select * from ' ~ snapshot, kept, selected)) %}
{% endmacro %}


{# The time up to which the snapshot is known to be correct: the last whole interval before it is recorded, and all
   earlier ones from `start` on. #}
{% macro _adopted_interval(options, until) %}
  {% set unit = options.unit %}
  {% set settings = dbt_kinds.run_settings(options.model) %}
  {% set upper = dbt_kinds.floor_to_unit(settings.execution_time if until is none
    else dbt_kinds.parse_instant(options.model, 'until', until), unit) %}
  {% set last = dbt_kinds.unit_start(dbt_kinds.unit_index(upper, unit) - 1, unit) %}
  {% do return([last if options.start is none else [dbt_kinds.floor_to_unit(options.start, unit), last] | min,
    upper]) %}
{% endmacro %}


{# Checks what a merge relies on: a key has at most one open row, and periods do not overlap and end after they
   begin. #}
{% macro _check_adopted(options, sql) %}
  {% set since, until = dbt_kinds.quoted(options.valid_from_name), dbt_kinds.quoted(options.valid_to_name) %}
  {% set counts %}
select
  count(*) as all_rows, count(if({{ until }} is null, 1, null)) as open_rows,
  count(if({{ since }} is null or {{ since }} >= {{ until }}, 1, null)) as inverted,
  count(if(next_valid_from < {{ until }} or (next_valid_from is not null and {{ until }} is null), 1, null))
    as overlapping
from (
  select *, lead({{ since }}) over (partition by {{ options.unique_key | join(', ') }}
    order by {{ since }}, {{ until }} nulls last) as next_valid_from
  from (
{{ sql }}
  )
)
  {%- endset %}
  {% set found = dbt_kinds.query_rows(counts)[0] %}
  {% if found.inverted or found.overlapping %}
    {% do dbt_kinds.fail(options.model,
      'the snapshot has ' ~ found.inverted ~ ' periods that end before they begin, and ' ~ found.overlapping
        ~ ' that overlap the next one of '
        ~ 'their key (' ~ options.unique_key | join(', ') ~ '); correct them in a copy of it, and adopt that') %}
  {% endif %}
  {% do return(found) %}
{% endmacro %}
