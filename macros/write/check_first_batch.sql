{#
  Stages the first batch of a run that replaces the table of a kind with keys, or puts a history back, and checks its keys, in work.checked: `{rows, counts}`.
  A batch that is refused thus leaves the table and its records as they are. A kind may have a stage of its own instead.
#}
{% macro check_first_batch(relation, work, batch, query) %}
  {% set options, writer = work.options, work.writer %}
  {% if options.traits.stage is not none %}
    {% do return(dbt_kinds[options.traits.stage](relation, work, batch, query)) %}
  {% endif %}
  {# a query that reads its own history has to wait until that is put back #}
  {% set is_put_back = work.plan.get('restatement') is not none and not dbt_kinds.reads_table(relation, query) %}
  {% if 'checks_keys' not in writer or not (work.start_anew or is_put_back) %}
    {% do return(none) %}
  {% endif %}
  {# a query that reads its own table needs one #}
  {% do dbt_kinds.prepare_table(relation, work) if work.reads_itself %}
  {% set rows = dbt_kinds.staged_batch(relation, work, query) %}
  {% set counts = dbt_kinds.check_keys(options, writer, rows, batch) %}
  {% if is_put_back and not counts.all_rows and options.get('empty_source') == 'error' %}
    {% do dbt_kinds.refuse_empty_source(relation, options, batch) %}
  {% elif options.traits.numbers_by_run and not counts.all_rows and dbt_kinds.is_emptied(relation, work) %}
    {# before the records of the versions are withdrawn #}
    {% do work.update({'is_idle': true}) %}
  {% endif %}
  {% do work.update({'checked': {'rows': rows, 'counts': counts}}) %}
  {% do dbt_kinds.hold_lease(options) %}
{% endmacro %}


{# A stage of the rows of a batch for a kind with keys, with the types of the table `like`; the audited stage if there is one. #}
{% macro staged_batch(relation, work, query, like=none) %}
  {# audits see all rows of a history #}
  {% if work.get('staged') is not none and not (work.options.traits.has_merge_timeline and work.options.duplicate_keys == 'keep_latest') %}
    {% do return(work.staged) %}
  {% endif %}
  {% set writer = work.writer %}
  {% do return(dbt_kinds.stage_rows(relation, writer, 'batch', dbt_kinds.rows_by_key(work.options, writer, query), writer.get('source_schema') or writer.schema, like)) %}
{% endmacro %}


{# SQL: the rows of a batch for a kind with keys, without those that duplicate_keys: keep_latest leaves out. Pure. #}
{% macro rows_by_key(options, writer, query) %}
  {% set latest = dbt_kinds.latest_dated(options, writer, query) if options.traits.has_merge_timeline else dbt_kinds.latest_rows(options, query) %}
  {% do return(dbt_kinds.filtered_query(latest, 'true', writer.get('source_selected') or writer.selected)) %}
{% endmacro %}
