{#
  The query of a run, described and typed, and the table as it is:
  `{options, sql, in_window, columns, expressions, existing, window, reads_itself}`. `options` have their names quoted
  as the query has them, `in_window` is the query in the window of the whole run, `columns` are its columns,
  `expressions` what described_expressions asks for.
#}
{% macro described_run_query(options, run, plan) %}
  {% set window = dbt_kinds.run_window(plan, run.settings) %}
  {% set probe = dbt_kinds.probed_query(run.sql) %}
  {# a captured table that gained a column since its last snapshot is read without it #}
  {% set probed = dbt_kinds.with_change_sets(plan.get('change_sets'), probe.sql) %}
  {% set as_empty = dbt_kinds.read_as_empty(model, this, probed) if not run.is_there else none %}
  {% set probed = as_empty or probed %}
  {% set options = dbt_kinds.with_quoted_names(options, probed) %}
  {% set facts = dbt_kinds._facts_of_run(options, run) %}
  {% set names_table = run.is_there and facts.columns is not defined %}
  {% set described = dbt_kinds.describe_write(probed, dbt_kinds.described_expressions(options),
    this if names_table else none) %}
  {% set sql = dbt_kinds.typed_query(options, run.sql, probe, probed, described.query) %}
  {% do dbt_kinds.check_counts_once(options, sql) if options.traits.accumulates %}
  {% set in_window = dbt_kinds.with_change_sets(plan.get('change_sets'),
    dbt_kinds.substitute_window(sql, dbt_kinds.query_window(options, window), plan.execution_time)) %}
  {% do return({
    'options': options, 'sql': sql,
    'in_window': dbt_kinds.read_as_empty(model, this, in_window) if as_empty is not none else in_window,
    'columns': described.query,
    'expressions': described.expressions, 'existing': dict(facts, columns=described.table) if names_table else facts,
    'window': window, 'reads_itself': as_empty is not none,
  }) %}
{% endmacro %}


{# dbt's information about the table is from the beginning of the run. #}
{% macro _facts_of_run(options, run) %}
  {% if run.found is none %}
    {% do return(none) %}
  {% endif %}
  {% set recent = dbt_kinds.events_of(options.relation) | map(attribute='recorded_at')
    | select('ge', run_started_at.strftime('%Y-%m-%dT%H:%M:%S.%f')[:26]) | list %}
  {% do return(dbt_kinds.table_facts(this, run.refresh or recent != [])) %}
{% endmacro %}
