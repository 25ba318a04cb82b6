{#
  The table exists and nothing is recorded: without closed rows it is an interrupted first load. With closed rows it is
  history whose records are missing, which a first load would overwrite.
#}
{% macro check_no_unrecorded_history(run_context) %}
  {% set options = run_context.options %}
  {% set is_by_run = options.traits.numbers_by_run %}
  {% if not (options.traits.has_merge_timeline or is_by_run) or not run_context.start_anew or not run_context.existed
      or (run_context.plan.reason != 'backfill: first run' if is_by_run else run_context.plan.replaces_history) %}
    {% do return(none) %}
  {% endif %}
  {% set way_out = '; record what it holds (dbt run-operation dbt_kinds.record), or discard it with --full-refresh' %}
  {% set valid_to = dbt_kinds.find_column(run_context.existing.columns, options.valid_to_name) %}
  {% set stages = [] %}
  {% for name in dbt_kinds.left_stages(this) if name.endswith('_history') %}{% do stages.append(name) %}{% endfor %}
  {% if stages %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' has no recorded coverage, and ' ~ stages | join(', ')
        ~ ' beside it is the whole history '
        ~ 'that a run was putting in its place; look which of the two is whole' ~ way_out) %}
  {% elif valid_to is none and dbt_kinds.has_rows(this) %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ " has rows, no recorded coverage and no column '" ~ options.valid_to_name
      ~ "'; this kind did not write it: rename it, adopt it if it is a dbt snapshot (dbt_kinds.adopt_snapshot), or discard it with --full-refresh") %}
  {% elif valid_to is not none and run_query('select 1 from ' ~ this ~ ' where ' ~ dbt_kinds.quoted(valid_to.name)
      ~ ' is not null limit 1').rows | length %}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation
        ~ ' holds closed versions and has no recorded coverage, so that a first load would replace '
        ~ 'history that the source may not have any more' ~ way_out) %}
  {% endif %}
{% endmacro %}
