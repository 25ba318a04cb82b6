{# Prepares the table for this run's batches: rebuilds it, or applies the query's column changes. Once per run, after
   the first batch has passed its checks. #}
{% macro prepare_table(relation, run_context) %}
  {% if run_context.get('is_prepared') %}
    {% do return(none) %}
  {% endif %}
  {% do run_context.update({'is_prepared': true}) %}
  {% set options, plan, write_spec = run_context.options, run_context.plan, run_context.write_spec %}
  {% set writes_nothing = not dbt_kinds.writes_rows(options, warns=false) %}
  {% if writes_nothing and run_context.existed %}
    {% do return(none) %}
  {% elif run_context.start_anew %}
    {% do dbt_kinds.invalidate_all(run_context) %}
    {% if not write_spec.writes_whole_table or writes_nothing or not plan.batches or run_context.reads_itself %}
      {% do dbt_kinds.create_empty_table(relation, run_context.existing, options.file_format, write_spec.partitioning,
        write_spec.schema) %}
      {% do run_context.table_state.clear() %}
      {# a write that replaces the table must see this one #}
      {% do run_context.update({'existing': {
        'columns': write_spec.schema, 'partitioning': write_spec.partitioning, 'file_format': options.file_format,
        'is_view': false, 'location': none,
      }}) if run_context.reads_itself %}
    {% endif %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.begin_restatement(relation, run_context) if plan.get('restatement') is not none %}
  {% if write_spec.schema_changes %}
    {# if it is interrupted, the next run has something to load, and finishes it #}
    {% do dbt_kinds.invalidate(options, plan, plan.batches[0]) %}
    {% do dbt_kinds.change_schema(relation, run_context) %}
  {% endif %}
  {% do run_context.table_state.clear() if write_spec.schema_changes or plan.get('restatement') is not none %}
{% endmacro %}
