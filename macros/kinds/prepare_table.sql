{# Prepares the table for this run's batches: rebuilds it, or applies the query's column changes. Once per run, after the first batch has passed its checks. #}
{% macro prepare_table(relation, work) %}
  {% if work.get('is_prepared') %}
    {% do return(none) %}
  {% endif %}
  {% do work.update({'is_prepared': true}) %}
  {% set options, plan, writer = work.options, work.plan, work.writer %}
  {% set writes_nothing = not dbt_kinds.writes_rows(options, warns=false) %}
  {% if writes_nothing and work.existed %}
    {% do return(none) %}
  {% elif work.start_anew %}
    {% do dbt_kinds.invalidate_all(work) %}
    {% if not writer.replaces_table or writes_nothing or not plan.batches or work.reads_itself %}
      {% do dbt_kinds.create_empty_table(relation, work.existing, options.file_format, writer.partitioning, writer.schema) %}
      {% do work.answers.clear() %}
      {# a write that replaces the table must see this one #}
      {% do work.update({'existing': {
        'columns': writer.schema, 'partitioning': writer.partitioning, 'file_format': options.file_format, 'is_view': false, 'location': none,
      }}) if work.reads_itself %}
    {% endif %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.take_back_history(relation, work) if plan.get('restatement') is not none %}
  {% if writer.schema_changes %}
    {# if it is interrupted, the next run has something to load, and finishes it #}
    {% do dbt_kinds.invalidate(options, plan, plan.batches[0]) %}
    {% do dbt_kinds.change_schema(relation, work) %}
  {% endif %}
  {% do work.answers.clear() if writer.schema_changes or plan.get('restatement') is not none %}
{% endmacro %}
