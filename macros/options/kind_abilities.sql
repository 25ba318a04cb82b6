{# Whether a window over recorded units rebuilds the table: rows do not show which unit they came from, so they cannot be replaced selectively. #}
{% macro is_restated_as_a_whole(options) %}
  {% do return(options.kind in ['incremental_by_unique_key', 'incremental_by_partition', 'incremental_unmanaged', 'append', 'cumulative_aggregate']) %}
{% endmacro %}


{# Whether loading a unit twice would count it twice. #}
{% macro appends_rows(options) %}
  {% do return(dbt_kinds.accumulates(options) or (options.kind in ['incremental_unmanaged', 'append', 'events'] and not options.get('insert_overwrite'))) %}
{% endmacro %}


{# Whether loading a unit twice may count it twice: also if custom when_matched clauses say what happens to rows that exist, because they may add to them. #}
{% macro may_count_twice(options) %}
  {% do return(dbt_kinds.appends_rows(options) or options.get('when_matched') is not none) %}
{% endmacro %}


{# Whether the table holds states that intervals are merged into: a merged interval can be neither removed nor merged again. #}
{% macro accumulates(options) %}
  {% do return(options.kind == 'cumulative_aggregate') %}
{% endmacro %}


{# Whether the table holds rows that its source no longer has, so that only a full refresh may empty it. #}
{% macro keeps_history(options) %}
  {% do return(options.kind in dbt_kinds.history_kinds()) %}
{% endmacro %}


{# Whether disable_restatement also blocks --full-refresh. #}
{% macro bars_full_refresh(options) %}
  {% do return(options.disable_restatement and (options.kind == 'events' or not dbt_kinds.reads_everything(options)) and not dbt_kinds.keeps_history(options)) %}
{% endmacro %}


{# Whether a batch replaces the partitions that its rows belong to. #}
{% macro replaces_partitions(options) %}
  {% do return(options.kind == 'incremental_by_partition' or options.get('insert_overwrite', false)) %}
{% endmacro %}


{# Whether the rows that a batch writes depend on the table's existing rows. #}
{% macro reads_its_table(options) %}
  {% do return(options.kind in ['incremental_by_unique_key', 'incremental_unmanaged', 'append', 'events', 'cumulative_aggregate', 'scd_type_2_by_run'] or dbt_kinds.keeps_history(options)) %}
{% endmacro %}


{# Whether a run is driven by changes in the tables that the query reads instead of intervals. #}
{% macro goes_by_changes(options) %}
  {% do return(options.get('skip_unchanged', false) or dbt_kinds.compares_with_table(options)) %}
{% endmacro %}


{# Whether every run reads everything, ignoring schedule and window. #}
{% macro reads_everything(options) %}
  {% do return(options.kind in ['full', 'tracked', 'scd_type_2_by_run', 'events'] or options.get('capture') is not none) %}
{% endmacro %}


{# Whether a run writes only the differences between its source and its table, or only the rows that a source gained, without withdrawing records first. #}
{% macro compares_with_table(options) %}
  {% do return(options.kind in ['tracked', 'scd_type_2_by_run', 'events'] or options.get('capture') is not none) %}
{% endmacro %}
