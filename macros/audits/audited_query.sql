{#
  Audits a batch before it is written. Its query runs once, into a stage, and one statement runs all audits; a batch
  that fails one is not written. Returns the query that reads the rows to publish, with their values as the table will
  hold them; audits see them as the model's query yields them.
#}
{% macro audited_query(relation, run_context, batch, query) %}
  {% if not run_context.audits %}
    {% do return(dbt_kinds.rows_as_stored(run_context.write_spec.get('stored_as_null'), query)) %}
  {% endif %}
  {# a query that reads its own table needs one #}
  {% do dbt_kinds.prepare_table(relation, run_context) if run_context.reads_itself %}
  {% do dbt_kinds.check_audits_bounds(run_context, batch) %}
  {% set staged = run_context.staged_columns %}
  {% set stage = dbt_kinds.stage_rows(relation, run_context.write_spec, 'audited',
    dbt_kinds._rows_to_publish(run_context, batch, query), staged.schema) %}
  {% set findings = dbt_kinds.findings_of(relation, run_context, batch, stage) %}
  {% do dbt_kinds.report_findings(relation, run_context, batch, findings) %}
  {% set as_null = dbt_kinds.stored_as_null(run_context.write_spec, staged.schema) %}
  {% do run_context.update({'staged': stage if as_null is none else none, 'warnings': findings}) %}
  {% do return(dbt_kinds.rows_as_stored(as_null, 'select * from ' ~ stage)) %}
{% endmacro %}


{# A run whose batches are audited: its write spec reads rows that are staged with the table's columns. #}
{% macro audited_run(run_context) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if not run_context.audits %}
    {% do return(run_context) %}
  {% elif write_spec.get('source_schema') is not none %}
    {% set staged = {'schema': write_spec.source_schema, 'selected': write_spec.source_selected} %}
    {% set reader = dict(write_spec, source_selected=write_spec.source_columns) %}
  {% else %}
    {% set staged = {'schema': write_spec.schema, 'selected': write_spec.selected} %}
    {% set reader = dict(write_spec, selected=write_spec.columns) %}
  {% endif %}
  {% do return(dict(run_context, write_spec=reader, staged_columns=staged)) %}
{% endmacro %}


{# SQL: the rows that the write of a batch would publish, with the table's columns. #}
{% macro _rows_to_publish(run_context, batch, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% set condition = dbt_kinds.range_condition(write_spec.time_column, write_spec.bounds, batch)
    if write_spec.get('bounds') is not none else 'true' %}
  {% set rows = dbt_kinds.latest_rows(options, query) if options.traits.row_key == 'unique_key' else query %}
  {% do return(dbt_kinds.filtered_query(rows, condition, run_context.staged_columns.selected)) %}
{% endmacro %}


{# SQL in parentheses: these columns and no rows. Pure. #}
{% macro empty_rows(columns) %}
  {% set selected = [] %}
  {% for quoted in dbt_kinds.quoted_names(columns) %}
    {% do selected.append('cast(null as ' ~ dbt_kinds.sql_type(columns[loop.index0].type) ~ ') as ' ~ quoted) %}
  {% endfor %}
  {% do return('(select ' ~ selected | join(', ') ~ ')') %}
{% endmacro %}
