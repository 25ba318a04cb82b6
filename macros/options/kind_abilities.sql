{# Whether a window over recorded units replaces the table: rows do not tell which unit they came from, so none can be taken back. #}
{% macro is_restated_as_a_whole(options) %}
  {% do return(options.kind in ['incremental_by_unique_key', 'incremental_by_partition', 'incremental_unmanaged', 'append', 'cumulative_aggregate']) %}
{% endmacro %}


{# Whether to load a unit twice would count it twice. #}
{% macro appends_rows(options) %}
  {% do return(dbt_kinds.accumulates(options) or (options.kind in ['incremental_unmanaged', 'append', 'events'] and not options.get('insert_overwrite'))) %}
{% endmacro %}


{# Whether the table holds states that intervals were merged into: none can be taken out again, nor merged a second time. #}
{% macro accumulates(options) %}
  {% do return(options.kind == 'cumulative_aggregate') %}
{% endmacro %}


{# Whether the table holds what its source has forgotten: nothing but a full refresh may empty it. #}
{% macro keeps_history(options) %}
  {% do return(options.kind in dbt_kinds.history_kinds()) %}
{% endmacro %}


{# Whether disable_restatement also stands against --full-refresh. #}
{% macro bars_full_refresh(options) %}
  {% do return(options.disable_restatement and (options.kind == 'events' or not dbt_kinds.reads_everything(options)) and not dbt_kinds.keeps_history(options)) %}
{% endmacro %}


{# Whether a batch replaces the partitions that its rows belong to. #}
{% macro replaces_partitions(options) %}
  {% do return(options.kind == 'incremental_by_partition' or options.get('insert_overwrite', false)) %}
{% endmacro %}


{# Whether what a batch writes depends on the rows that are there. #}
{% macro reads_its_table(options) %}
  {% do return(options.kind in ['incremental_by_unique_key', 'incremental_unmanaged', 'append', 'events', 'cumulative_aggregate', 'scd_type_2_by_run'] or dbt_kinds.keeps_history(options)) %}
{% endmacro %}


{# Whether a run is decided by what changed in what the query reads, and not by intervals. #}
{% macro goes_by_changes(options) %}
  {% do return(options.get('skip_unchanged', false) or dbt_kinds.compares_with_table(options)) %}
{% endmacro %}


{# Whether every run reads everything: neither schedule nor window is asked. #}
{% macro reads_everything(options) %}
  {% do return(options.kind in ['full', 'tracked', 'scd_type_2_by_run', 'events'] or options.get('capture') is not none) %}
{% endmacro %}


{# Whether a run writes what differs between the whole of its source and its table, or what a source gained, and takes nothing back before. #}
{% macro compares_with_table(options) %}
  {% do return(options.kind in ['tracked', 'scd_type_2_by_run', 'events'] or options.get('capture') is not none) %}
{% endmacro %}
