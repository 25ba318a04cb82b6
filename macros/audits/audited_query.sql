{#
  Audits a batch before it is written. Its query runs once, into a stage, and one statement runs all audits; a batch that fails one
  is not written. Returns the query that reads the rows to publish; if the model has no audits, that is the unchanged query.
#}
{% macro audited_query(relation, work, batch, query) %}
  {% if not work.audits %}
    {% do return(query) %}
  {% endif %}
  {# a query that reads its own table needs one #}
  {% do dbt_kinds.prepare_table(relation, work) if work.reads_itself %}
  {% do dbt_kinds.check_audits_bounds(work, batch) %}
  {% set staged = work.staged_columns %}
  {% set stage = dbt_kinds.stage_rows(relation, work.writer, 'audited', dbt_kinds._rows_to_publish(work, batch, query), staged.schema) %}
  {% set findings = dbt_kinds.findings_of(relation, work, batch, stage) %}
  {% do dbt_kinds.report_findings(relation, work, batch, findings) %}
  {% do work.update({'staged': stage, 'warnings': findings}) %}
  {% do return('select * from ' ~ stage) %}
{% endmacro %}


{# Work whose batches are audited: its writer reads rows that are staged with the table's columns. #}
{% macro audited_work(work) %}
  {% set options, writer = work.options, work.writer %}
  {% if not work.audits %}
    {% do return(work) %}
  {% elif writer.get('source_schema') is not none %}
    {% set staged = {'schema': writer.source_schema, 'selected': writer.source_selected} %}
    {% set reader = dict(writer, source_selected=writer.source_columns) %}
  {% else %}
    {% set staged = {'schema': writer.schema, 'selected': writer.selected} %}
    {% set reader = dict(writer, selected=writer.columns) %}
  {% endif %}
  {% do return(dict(work, writer=reader, staged_columns=staged)) %}
{% endmacro %}


{# SQL: the rows that the write of a batch would publish, with the table's columns. #}
{% macro _rows_to_publish(work, batch, query) %}
  {% set options, writer = work.options, work.writer %}
  {% set condition = dbt_kinds.range_condition(writer.time_column, writer.bounds, batch) if writer.get('bounds') is not none else 'true' %}
  {% set rows = dbt_kinds.latest_rows(options, query) if options.traits.row_key == 'unique_key' else query %}
  {% do return(dbt_kinds.filtered_query(rows, condition, work.staged_columns.selected)) %}
{% endmacro %}


{# SQL in parentheses: these columns and no rows. Pure. #}
{% macro empty_rows(columns) %}
  {% set selected = [] %}
  {% for quoted in dbt_kinds.quoted_names(columns) %}
    {% set type = columns[loop.index0].type %}
    {% do selected.append('cast(null as ' ~ (dbt_kinds.type_text(dbt_kinds.parse_type(type)) if '<' in type else type) ~ ') as ' ~ quoted) %}
  {% endfor %}
  {% do return('(select ' ~ selected | join(', ') ~ ')') %}
{% endmacro %}
