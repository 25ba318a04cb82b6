{#
  Stages the first batch of a run that replaces the table of a kind with keys, or puts a history back, and checks its
  keys, in run_context.checked: `{rows, counts}`.
  A batch that is refused thus leaves the table and its records as they are. A kind may have a stage of its own instead.
#}
{% macro check_first_batch(relation, run_context, batch, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if options.traits.stage is not none %}
    {% do dbt_kinds[options.traits.stage](relation, run_context, batch, query) %}
    {% do return(none) %}
  {% endif %}
  {# a query that reads its own history has to wait until that is put back #}
  {% set is_put_back = run_context.plan.get('restatement') is not none and not dbt_kinds.reads_table(relation, query) %}
  {% if 'checks_keys' not in write_spec or not (run_context.start_anew or is_put_back) %}
    {% do return(none) %}
  {% endif %}
  {# a query that reads its own table needs one #}
  {% do dbt_kinds.prepare_table(relation, run_context) if run_context.reads_itself %}
  {% set rows = dbt_kinds.staged_batch(relation, run_context, query) %}
  {% set counts = dbt_kinds.check_keys(options, write_spec, rows, batch) %}
  {% if is_put_back and not counts.all_rows and options.get('empty_source') == 'error' %}
    {% do dbt_kinds.refuse_empty_source(relation, options, batch) %}
  {% elif options.traits.numbers_by_run and not counts.all_rows and dbt_kinds.is_emptied(relation, run_context) %}
    {# before the records of the versions are withdrawn #}
    {% do run_context.update({'is_idle': true}) %}
  {% endif %}
  {% do run_context.update({'checked': {'rows': rows, 'counts': counts}}) %}
  {% do dbt_kinds.assert_lease(options) %}
{% endmacro %}


{# A stage of the rows of a batch for a kind with keys, with the types of the table `like`; the audited stage if there
   is one. #}
{% macro staged_batch(relation, run_context, query, like=none) %}
  {# audits see all rows of a history #}
  {% if run_context.get('staged') is not none
      and not (run_context.options.traits.has_merge_timeline and run_context.options.duplicate_keys == 'keep_latest') %}
    {% do return(run_context.staged) %}
  {% endif %}
  {% set write_spec = run_context.write_spec %}
  {% do return(dbt_kinds.stage_rows(relation, write_spec, 'batch',
    dbt_kinds.rows_by_key(run_context.options, write_spec, query), write_spec.get('source_schema') or write_spec.schema,
    like)) %}
{% endmacro %}


{# SQL: the rows of a batch for a kind with keys, without those that duplicate_keys: keep_latest leaves out. Pure. #}
{% macro rows_by_key(options, write_spec, query) %}
  {% set latest = dbt_kinds.latest_dated(options, write_spec, query) if options.traits.has_merge_timeline
    else dbt_kinds.latest_rows(options, query) %}
  {% do return(dbt_kinds.filtered_query(latest, 'true', write_spec.get('source_selected') or write_spec.selected)) %}
{% endmacro %}
