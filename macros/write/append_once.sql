{# For writes that only add rows: see table_write_spec. #}
{% macro append_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% do return(dbt_kinds.table_write_spec(options, query_columns, existing, options.partition_by)) %}
{% endmacro %}


{# Refuses to append or merge into unrecorded rows if a first load might count them twice. #}
{% macro check_no_unrecorded_rows(run_context) %}
  {% set options = run_context.options %}
  {% if options.traits.accumulates %}
    {% do dbt_kinds._check_nothing_unmerged(run_context) %}
  {% elif options.traits.may_count_twice and not run_context.start_anew and dbt_kinds.events_of(options.relation) == []
      and dbt_kinds.has_rows(this) %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' has rows, and nothing is recorded of them, so a first load might '
        ~ ('append' if options.traits.appends_rows else 'merge') ~ ' them '
        ~ "again; record the intervals that it holds: dbt run-operation dbt_kinds.record --args '{select: "
        ~ options.model ~ ", start: …, end: …}'; or rebuild it with "
        ~ '--full-refresh' ~ (' and disable_restatement: false' if options.disable_restatement else '')) %}
  {% endif %}
{% endmacro %}


{# The same for states, also if all their records were withdrawn: nobody knows which intervals the rows contain. #}
{% macro _check_nothing_unmerged(run_context) %}
  {% set options = run_context.options %}
  {% if not run_context.start_anew and dbt_kinds.loads_of(options.relation) == [] and dbt_kinds.has_rows(this) %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation
        ~ ' has rows, and nothing is recorded of them, so that an interval that they hold might be merged '
      ~ "again; rebuild it with --full-refresh, or state what it holds: dbt run-operation dbt_kinds.record --args '{select: " ~ options.model ~ ", start: …, end: …}'") %}
  {% endif %}
{% endmacro %}


{#
  Appends the rows of a query. If the run dies between the write and its record, the new rows cannot be distinguished
  from others. So the state of the table is announced before, and settle_announced_write finds out whether the rows were
  written.
#}
{% macro append_once(relation, run_context, batch, query) %}
  {% do return(dbt_kinds.announced_append(relation, run_context, batch,
    dbt_kinds.filtered_query(query, 'true', run_context.write_spec.selected))) %}
{% endmacro %}


{# The same for SQL that returns the table's columns. `known` is added to the announcement: `rows`, their number, and
   `details` for the record. #}
{% macro announced_append(relation, run_context, batch, rows, known={}) %}
  {% set file_format = run_context.write_spec.file_format %}
  {% set is_file_format = dbt_kinds.is_file_format(file_format) %}
  {% set newest = dbt_kinds.table_state(relation, run_context, 'newest_file') if is_file_format else none %}
  {% set before = dbt_kinds.announce_commit(relation, run_context, batch,
    dict({'write': 'append', 'newest_file': newest}, **known)) %}
  {% set insert -%}
insert into {{ relation }}
{{ rows }}
  {%- endset %}
  {% call statement('append') %}{{ insert }}{% endcall %}
  {% if is_file_format %}
    {% do return(dict(dbt_kinds.files_of_write(relation, newest) if known.get('rows') is none
      else {'rows_written': known.rows}, sql=insert)) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, file_format, before if file_format == 'delta' else none),
    sql=insert)) %}
{% endmacro %}


{# Announces a write that will be one commit, with what the commit can be told by; returns the snapshot that it is made
   from, none on Parquet and ORC. #}
{% macro announce_commit(relation, run_context, batch, details) %}
  {% set file_format = run_context.options.file_format %}
  {% set is_iceberg = file_format == 'iceberg' %}
  {% set before = dbt_kinds.table_state(relation, run_context, 'head') if is_iceberg
    else dbt_kinds.current_snapshot(relation, file_format) %}
  {% do dbt_kinds.announce_write(run_context, batch,
    dict(details, application=dbt_kinds.spark_application() if is_iceberg else none), before) %}
  {% do return(before) %}
{% endmacro %}
