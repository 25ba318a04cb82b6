{#
  Inserts the rows of a query with new keys, and applies the clauses of the write spec to existing rows. Unless it is
  cheaper at once, the batch is staged first, so that it is computed once and exactly the checked rows are written. A
  batch that check_first_batch has staged replaces the table. Custom when_matched clauses may not be idempotent, so that
  write is announced and done in one commit.
#}
{% macro upsert(relation, run_context, batch, query) %}
  {% set options, checked = run_context.options, run_context.pop('checked', none) %}
  {% if checked is not none %}
    {% do dbt_kinds.assert_lease(options) %}
    {% do dbt_kinds.replace_by_stage(relation, options, checked.rows, run_context.write_spec.partitioning,
      run_context.existing, run_context.write_spec.schema) %}
    {% do return(dict(dbt_kinds.commit_of(relation, options.file_format), rows_written=checked.counts.all_rows,
      sql=dbt_kinds.rows_by_key(options, run_context.write_spec, query),
      details=dbt_kinds.versions_read(run_context))) %}
  {% endif %}
  {% if options.duplicate_keys == 'replace_all' %}
    {% do return(dbt_kinds.replace_keys(relation, run_context, batch, query)) %}
  {% endif %}
  {% set write_spec = dbt_kinds.write_spec_in_window(run_context.write_spec, dbt_kinds.query_window(options, batch),
    run_context.plan.execution_time) %}
  {% set reason = dbt_kinds.reason_to_stage(run_context, query) %}
  {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ ('merged at once' if reason is none else 'staged: ' ~ reason)) %}
  {% set run_context, started_at = dict(run_context, write_spec=write_spec), dbt_kinds.next_moment() %}
  {% if reason is none %}
    {% do return(dbt_kinds.upsert_at_once(relation, run_context, batch, query)) %}
  {% endif %}
  {% set stage = dbt_kinds.staged_batch(relation, run_context, query, relation) %}
  {% set merges = not dbt_kinds.is_file_format(options.file_format) %}
  {% set compares = options.get('capture') is not none %}
  {% set found = dbt_kinds.check_keys(options, write_spec, stage, batch,
    dbt_kinds.stored_counts(relation, write_spec, stage) if merges or compares else none) %}
  {% set changed = found.all_rows - found.stored_keys
    + (found.stored_keys - found.equal_keys if write_spec.clauses else 0) if compares else found.all_rows %}
  {% if compares and not changed %}
    {% do return(dbt_kinds.nothing_differs(run_context)) %}
  {% endif %}
  {% set changes = dbt_kinds.changes_by_key(relation, options, write_spec, stage, found) %}
  {% set written = dbt_kinds.write_changes(relation, run_context, batch, changes,
    {'rows_written': changed, 'details': dbt_kinds.versions_read(run_context)},
    is_announced=options.when_matched is not none) %}
  {% if found.get('stored_keys') is none or not dbt_kinds.could_be_at_once(run_context) %}
    {% do return(written) %}
  {% endif %}
  {% set cost = {'seconds': dbt_kinds.to_thousandths(dbt_kinds.seconds_between(started_at, dbt_kinds.next_moment())),
    'rows': found.all_rows, 'equal_rows': found.equal_keys} %}
  {% do return(dict(written, details={'upsert': dbt_kinds.upsert_costs(options, 'staged', cost)})) %}
{% endmacro %}


{# What is returned by a run driven by changes that finds every row in the table. #}
{% macro nothing_differs(run_context) %}
  {# the version of a Parquet or ORC table is its last load, so an empty run is noted instead of recorded, which would
     trigger its readers #}
  {% do return({'rows_written': 0, 'is_idle': dbt_kinds.is_file_format(run_context.options.file_format),
    'sql': '-- every row is there already', 'details': dbt_kinds.versions_read(run_context), 'snapshot_id': none}) %}
{% endmacro %}


{# The changes of a staged batch, with only what its counts ask for; without counts, all of them. If killed between two
   commits, the batch is repeated. Pure. #}
{% macro changes_by_key(relation, options, write_spec, stage, found={}) %}
  {% set rows = dbt_kinds.keyed_rows(write_spec.key_parts, stage) %}
  {% set updates = found.get('stored_keys') is none or found.equal_keys < found.stored_keys %}
  {% set inserts = found.get('stored_keys') is none or found.stored_keys < found.all_rows %}
  {% do return({
    'rows': rows,
    'matches': write_spec.matches ~ (' and not (' ~ write_spec.is_equal ~ ')' if write_spec.is_equal else ''),
    'clauses': write_spec.clauses if updates else [],
    'inserted': dbt_kinds.row_values(write_spec.columns) if inserts else none,
    'stored': none if found.get('stored_keys') == 0 else dbt_kinds._stored_keys(relation, write_spec, rows),
    'in_two_commits': options.when_matched is none,
  }) %}
{% endmacro %}


{# SQL: how many keys of the batch exist in the table, and how many of these rows an update would leave unchanged.
   Pure. #}
{% macro stored_counts(relation, write_spec, stage) %}
  {% do return('select count(*) as stored_keys, count_if(is_equal) as equal_keys from (\n'
    ~ dbt_kinds._stored_keys(relation, write_spec, dbt_kinds.keyed_rows(write_spec.key_parts, stage)) ~ '\n)') %}
{% endmacro %}


{# An inner join, which Spark executes without shuffling the table; an anti join of the batch with the table shuffles it
   (2 million rows: 1 s instead of 4 s). #}
{% macro _stored_keys(relation, write_spec, rows) %}
  {% do return('  select ' ~ dbt_kinds.key_of_row(write_spec) ~ ' as key, bool_and(' ~ (write_spec.is_equal or 'false')
    ~ ') as is_equal\n  from '
    ~ relation ~ ' as target join ' ~ rows ~ ' as source on ' ~ write_spec.matches ~ '\n  group by all') %}
{% endmacro %}
