{#
  The part of its table that a run claims, [start, end], so that runs of disjoint windows may write it at once; none if
  it claims the whole table. A part is enough where each batch replaces nothing but its range, in one commit that does
  not depend on what others commit meanwhile, and where the run does nothing else to the table: it neither makes nor
  changes it, and runs no hooks. `settings` have the window.
#}
{% macro part_to_claim(options, settings, run_context) %}
  {% if run_context.has_nothing_to_do or settings.start is none or settings.end is none
      or not options.traits.writes_ranges or 'sink' in options or pre_hooks or post_hooks or dbt_kinds.is_sample_run()
      or run_context.start_anew or run_context.reads_itself or run_context.write_spec.schema_changes
      or dbt_kinds.is_file_format(options.file_format) or not run_context.write_spec.whole_partitions
      or not dbt_kinds.commits_are_locked(options.file_format) %}
    {% do return(none) %}
  {% endif %}
  {% set batches, start, end = run_context.plan.batches, dbt_kinds.floor_to_unit(settings.start, options.unit),
    dbt_kinds.ceil_to_unit(settings.end, options.unit) %}
  {% do return([start, end] if start <= batches[0][0] and batches[-1][1] <= end else none) %}
{% endmacro %}


{#
  Whether concurrent commits to one table are safe: Iceberg loses some where the lock of Hive's catalog is off
  (iceberg.engine.hive.lock-enabled), as in an embedded session. Databricks has no such catalog.
#}
{% macro commits_are_locked(file_format) %}
  {% set known = dbt_kinds.run_memory('commit_lock') %}
  {% if adapter.type() == 'databricks' %}
    {% do return(true) %}
  {% elif file_format == 'iceberg' and not known %}
    {% set setting = run_query('set ' ~ dbt_kinds.quoted('spark.hadoop.iceberg.engine.hive.lock-enabled')).rows[0][1] %}
    {% do known.update({'is_on': setting | string | lower != 'false'}) %}
  {% endif %}
  {% do return(file_format != 'iceberg' or known.is_on) %}
{% endmacro %}


{# The part that this run has claimed of a table; none if it has claimed all of it, or nothing. #}
{% macro claimed_part(relation) %}
  {% do return(dbt_kinds.own_claims().get(relation, {}).get('part')) %}
{% endmacro %}


{# The part of its table that a `claimed` event is about; none if it is the whole table. Pure. #}
{% macro part_of_claim(event) %}
  {% do return([event.interval_start, event.interval_end] if dbt_kinds.details_of(event).get('claims') == 'part'
    else none) %}
{% endmacro %}


{# Whether two intervals have an instant in common. Pure. #}
{% macro overlap(one, other) %}
  {% do return(one[0] < other[1] and other[0] < one[1]) %}
{% endmacro %}


{# Raises if a run that has claimed a part has planned again, and needs the whole table now. #}
{% macro check_part_suffices(options, settings, run_context) %}
  {% set claimed = dbt_kinds.claimed_part(options.relation) %}
  {% if claimed is not none and not run_context.has_nothing_to_do
      and dbt_kinds.part_to_claim(options, settings, run_context) != claimed %}
    {% do dbt_kinds.fail(options.model, 'another run changed ' ~ options.relation
      ~ ' while this one began to write a part of it; run it again') %}
  {% endif %}
{% endmacro %}
