{#
  Merges one batch of SCD type 2, by time, by column or by run; the `instant` of a run that numbers versions is its
  number. The changes to the table are computed once, into a stage, which also shows rows that refuse the batch; the
  batch itself is only staged to be checked before the table is replaced or put back, see check_first_batch. One commit,
  which touches open versions only.
#}
{% macro merge_history(relation, run_context, batch, query) %}
  {% set options, write_spec, is_by_run = run_context.options, run_context.write_spec,
    run_context.options.traits.numbers_by_run %}
  {% set checked = run_context.pop('checked', none) %}
  {% set instant = dbt_kinds.run_sequence(relation, run_context) if is_by_run
    else dbt_kinds.batch_instant(options, batch, run_context.plan.execution_time) %}
  {% if checked is not none and run_context.start_anew %}
    {% do return(dbt_kinds._load_first(relation, run_context, checked.rows, instant, checked.counts)) %}
  {% endif %}
  {% set rows = checked.rows if checked is not none else dbt_kinds._rows_of_batch(run_context, query) %}
  {% set changes = dbt_kinds.stage_rows(relation, write_spec, 'changes',
    dbt_kinds.history_changes(options, write_spec, relation, rows, instant),
    dbt_kinds.change_columns(options, write_spec), dbt_kinds.changes_like(options, write_spec, relation)) %}
  {% set counts = dbt_kinds.query_rows(dbt_kinds._action_counts(options, run_context, changes))[0] %}
  {% do dbt_kinds._check_changes(options, write_spec, changes, batch, counts) %}
  {% if dbt_kinds.stays_open(relation, run_context, batch, counts) %}
    {% set counts = dict(counts, closed=0, dropped=0) %}
  {% endif %}
  {% if counts.get('first_new') is not none
      and dbt_kinds.were_closed(options, write_spec, relation, changes, counts.first_new) %}
    {% set changes = dbt_kinds.stage_rows(relation, write_spec, 'dated_changes',
      dbt_kinds.behind_closed_rows(options, write_spec, relation, changes, counts.first_new),
      dbt_kinds.change_columns(options, write_spec), changes) %}
  {% endif %}
  {% set written = dbt_kinds._written_versions(options, instant, counts) %}
  {% if counts.inserted + counts.closed + counts.replaced + counts.dropped %}
    {% do return(dbt_kinds.write_changes(relation, run_context, batch,
      dbt_kinds.changes_of_history(write_spec, changes, counts), written)) %}
  {% elif is_by_run %}
    {% do return({'rows_written': 0, 'is_idle': true, 'sql': '-- no row has changed'}) %}
  {% endif %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format),
    **dict(written, sql='-- the batch changes nothing'))) %}
{% endmacro %}


{# The rows of a batch: the audited stage, or a query. #}
{% macro _rows_of_batch(run_context, query) %}
  {% if run_context.get('staged') is not none and run_context.options.duplicate_keys != 'keep_latest' %}
    {% do return(run_context.staged) %}
  {% endif %}
  {% do return('(\n' ~ dbt_kinds.rows_by_key(run_context.options, run_context.write_spec, query) ~ '\n)') %}
{% endmacro %}


{# Refuses a batch with rows that have no key or share one. #}
{% macro _check_changes(options, write_spec, changes, batch, counts) %}
  {% set rows = '(select ' ~ write_spec.source_columns | join(', ') ~ ' from ' ~ changes
    ~ " where __kinds_action = '" %}
  {% if counts.without_key %}
    {% do dbt_kinds.refuse_null_keys(options, write_spec, rows ~ "no_key')", batch,
      dbt_kinds.counted(counts.without_key, 'row', 'rows')) %}
  {% elif counts.with_repeated_key %}
    {% do dbt_kinds.refuse_duplicate_keys(options, write_spec, rows ~ "repeated_key')", batch) %}
  {% endif %}
{% endmacro %}


{# Replaces the whole table by the rows of the batch, all open. #}
{% macro _load_first(relation, run_context, rows, instant, found) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if run_context.get('is_idle') %}
    {% do return({'rows_written': 0, 'is_idle': true, 'sql': '-- the query has no rows'}) %}
  {% endif %}
  {% set undated = found.get('undated_rows', 0) if options.dates_first_load else 0 %}
  {% set since = dbt_kinds.dating_sql(options, write_spec, instant, '__kinds_staged') if options.dates_first_load
    else dbt_kinds.instant_literal(options.time_data_type, '1970-01-01T00:00:00') %}
  {% set versions = '(select ' ~ since ~ ' as __kinds_boundary, struct(__kinds_staged.*) as __kinds_row from ' ~ rows
    ~ ' as __kinds_staged)' %}
  {% set sql = dbt_kinds.inserted_rows(write_spec,
    {'rows': versions, 'inserted': dbt_kinds.opened_values(write_spec), 'stored': none})
      ~ '\nwhere __kinds_boundary is not null' %}
  {% do dbt_kinds.replace_table(relation, run_context, sql) %}
  {% set counts = {'inserted': found.all_rows - undated, 'closed': 0, 'replaced': 0, 'dropped': 0, 'future': 0,
    'undated_rows': undated} %}
  {% do return(dict(dbt_kinds.commit_of(relation, options.file_format),
    **dict(dbt_kinds._written_versions(options, instant, counts), sql=sql))) %}
{% endmacro %}


{# Logs the actions, and returns what is recorded of them. #}
{% macro _written_versions(options, instant, counts) %}
  {% if options.traits.numbers_by_run %}
    {% do return({'rows_written': counts.inserted, 'details': {'sequence': instant}}) %}
  {% endif %}
  {% set undated = counts.get('undated_rows') or 0 %}
  {% set actions = {'inserted': counts.inserted, 'closed': counts.closed, 'replaced': counts.replaced,
    'dropped': counts.dropped} %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': inserted ' ~ counts.inserted ~ ', closed ' ~ counts.closed
    ~ ', replaced ' ~ counts.replaced ~ ', dropped ' ~ counts.dropped
    ~ (', ignored ' ~ undated ~ ' without ' ~ options.updated_at_name if undated else '')
    ~ (', ' ~ counts.future ~ ' dated in the future' if counts.future else ''), info=true) %}
  {% do return({'rows_written': counts.inserted + counts.closed + counts.replaced + counts.dropped,
    'details': dict({'instant': instant}, **actions)}) %}
{% endmacro %}


{# SQL: one row with the number of each action. #}
{% macro _action_counts(options, run_context, changes) %}
  {% set is_by_run = options.traits.numbers_by_run %}
  {% set counts %}
select
  count(if(__kinds_action = 'insert', 1, null)) as inserted, count(if(__kinds_action = 'close', 1, null)) as closed,
  count(if(__kinds_action = 'replace', 1, null)) as replaced, count(if(__kinds_action = 'drop', 1, null)) as dropped,
  count(if(__kinds_action = 'no_key', 1, null)) as without_key,
  count(if(__kinds_action = 'repeated_key', 1, null)) as with_repeated_key,
  count(if(__kinds_action = 'undated', 1, null)) as undated_rows
  {%- if not is_by_run %},
  count(if(__kinds_action in ('insert', 'replace')
    and __kinds_boundary > {{ dbt_kinds.instant_literal(options.time_data_type, run_context.plan.execution_time) }}, 1,
    null)) as future,
  min(if(__kinds_is_new, {{ dbt_kinds.microseconds('__kinds_boundary', {'write': options.time_data_type}) }}, null))
    as first_new
  {%- endif %}
from {{ changes }}
  {%- endset %}
  {% do return(counts) %}
{% endmacro %}


{# History cannot be recomputed, so the rows are counted before the table is overwritten. #}
{% macro check_whole_history(options, write_spec, relation, whole, counts) %}
  {% set sql %}
select
  count(if(is_whole, 1, null)) as rows_after, count(if(is_whole and valid_to is not null, 1, null)) as closed_after,
  count(if(is_whole, null, 1)) as rows_before,
  count(if(not is_whole and valid_to is not null, 1, null)) as closed_before
from (
  select true as is_whole, {{ write_spec.valid_to }} as valid_to from {{ whole }}
  union all
  select false as is_whole, {{ write_spec.valid_to }} as valid_to from {{ relation }}
)
  {%- endset %}
  {% set found = dbt_kinds.query_rows(sql)[0] %}
  {% if found.closed_after != found.closed_before + counts.closed
      or found.rows_after != found.rows_before + counts.inserted - counts.dropped %}
    {% do dbt_kinds.fail(options.model,
      'the new version of ' ~ options.relation ~ ' would have ' ~ found.rows_after ~ ' rows (' ~ found.closed_after
        ~ ' closed) instead of '
      ~ found.rows_before ~ ' (' ~ found.closed_before ~ ' closed), which does not match the planned changes ' ~ counts
      ~ '; nothing was changed. '
      ~ 'Check with the test scd2_one_current_row whether a key has several open rows') %}
  {% endif %}
{% endmacro %}
