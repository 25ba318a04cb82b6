{#
  What a run of a model has to do, checked against the table and the query as they are now, before anything is written:
  `{options, plan, model_hash, is_done, window, existed, start_anew, existing, writer, sample_query}`, from window on only where there is
  something to do.
#}
{% macro work_to_do(options, settings, prepare) %}
  {% set found = dbt_kinds.relation_type(this) %}
  {% set loads = dbt_kinds.loads_of(options.relation) if found == 'table' else [] %}
  {% set parents = dbt_kinds.followed_parents(model, options, compiled_code) if loads else [] %}
  {% set model_hash = dbt_kinds.model_hash(options, compiled_code) %}
  {% set batches = dbt_kinds.recorded_batches(options) if found == 'table' and dbt_kinds.keeps_history(options) else [] %}
  {% do dbt_kinds.check_deletes_are_seen(model, compiled_code) %}
  {% set plan = dbt_kinds.plan_intervals(options, loads, settings, model_hash, parents, batches) %}
  {% if options.skip_unchanged and loads and not settings.full_refresh %}
    {% do dbt_kinds.rest_if_unchanged(options, plan, loads, model_hash) %}
  {% endif %}
  {% if not plan.batches and found == 'table' %}
    {% do return({'options': options, 'plan': plan, 'is_done': true}) %}
  {% endif %}

  {% set window = dbt_kinds.run_window(plan, settings) %}
  {% set sample_query = dbt_kinds.substitute_window(compiled_code, dbt_kinds.query_window(options, window), plan.execution_time) %}
  {% set existing = none if found is none else dbt_kinds.describe_table(this) %}
  {% set start_anew = found != 'table' or plan.start_anew %}
  {% set writer = prepare(options, dbt_kinds.describe_query(sample_query), none if start_anew else existing, sample_query) %}
  {% do dbt_kinds.check_contract(dbt_kinds.contract_query(writer, sample_query)) %}
  {% do dbt_kinds.check_can_put_back(options, plan, settings) if plan.get('restatement') is not none %}
  {% do dbt_kinds.check_can_replace(options, existing) if start_anew %}
  {% do return({
    'options': options, 'plan': plan, 'model_hash': model_hash, 'is_done': false, 'window': window, 'existed': found == 'table', 'start_anew': start_anew,
    'existing': existing, 'writer': writer, 'sample_query': sample_query,
  }) %}
{% endmacro %}


{# The table as this run's batches need it: made anew, or with the columns that the query gained or lost. #}
{% macro prepare_table(relation, work) %}
  {% set options, plan, writer = work.options, work.plan, work.writer %}
  {% set writes_nothing = dbt_kinds.is_empty_run() or (dbt_kinds.is_sample_run() and dbt_kinds.keeps_history(options)) %}
  {% if writes_nothing and work.existed %}
    {% do return(none) %}
  {% elif work.start_anew %}
    {% do dbt_kinds.invalidate_all(work) %}
    {% if not writer.replaces_table or writes_nothing or not plan.batches %}
      {% set query = writer.get('table_query') or work.sample_query %}
      {% do dbt_kinds.create_table(relation, work.existing, options.file_format, writer.partitioning, dbt_kinds.filtered_query(query, 'false')) %}
    {% endif %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.take_back_history(relation, work) if plan.get('restatement') is not none %}
  {% if writer.schema_changes %}
    {# should it be cut short, the next run has something to load, and finishes it #}
    {% do dbt_kinds.invalidate(options, plan, plan.batches[0]) if not dbt_kinds.keeps_history(options) %}
    {% do dbt_kinds.change_schema(relation, work) %}
  {% endif %}
{% endmacro %}
