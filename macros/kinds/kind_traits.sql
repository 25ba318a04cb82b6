{#
  What a kind is: the record in its file, `kind_<name>(options)`, with what it leaves out, which may be anything but
  `write_spec` and `write`. `options` are the model's;
  an empty mapping for what holds of all models of the kind. Macros are given by their names, because a macro that is
  kept in a mapping works in the context of the model that put it there. Pure.

  own_options(node, options, given): the options that only the kind knows how to read, from what the model gives; none
    if it has none. Until these are read, kind_traits is asked with an empty mapping
  plan(node, options, run): the plan of a run, see planners.sql; plan_by_intervals if the record names none
  query(options): the query by which the table's columns are described; the model's, if the record names none
  write_spec(options, query_columns, existing, query, keys): checks everything before anything is written, and returns
    what the write needs. `existing` is the table, none if it is made anew; `query` is the SQL in the window of the
    whole run; `keys` are the columns that stand for the expressions of unique_key, then of order_by
    (described_expressions)
  rows(relation, run_context, number): the query of one batch, which is plan.batches[number - 1]; that of the model in
    the batch's window, if the record names none
  stage(relation, run_context, batch, query): before a run's first write, stages and checks what it will write, and
    leaves it in run_context; may set run_context.is_idle, and then nothing is prepared or withdrawn; none if the write
    does that
  write(relation, run_context, batch, query): writes one batch, and returns `{rows_written, snapshot_id, commit,
    details, sql, is_idle}`, as far as known
  ignores_intervals: every run reads everything, whatever schedule and window; without a `start` its window begins in
    1970, `dbt-kinds plan` asks plan_whole, and a rebuild is not announced
  is_change_driven: a run is driven by changes in the tables that the query reads instead of intervals
  diffs_against_target: a run writes only the differences between its source and its table, or only the rows that a
    source gained, without withdrawing records first
  compares_rows: every run compares all rows of its source, so that another query and new columns reach the rows that
    are there
  filters_by_time: the rows of an interval are those whose time column lies in it, so that it can be replaced on its own
  writes_ranges: a batch replaces its range and touches nothing else, so that runs of disjoint windows may write one
    table at once where that is one commit (part_to_claim)
  can_be_proven: dbt-kinds can prove that its query may run on slices of its source
  takes_once: a run takes from its source what no run has taken before, and what that was is not in the records of
    intervals, but in a ledger or in the source's versions
  row_key: what tells the rows of its table apart: `unique_key`, a `group`, or nothing but the whole `row`
  numbers_by_run: a history whose versions are numbered by runs
  is_dated_by_source: a history whose versions begin when a column of the source says
  replaces_table: every run replaces the table
  reads_its_table: a write asks the table something, so one that Spark has cached is refreshed before (refresh_if_stale)
  appends_rows: loading a unit twice would count it twice
  may_count_twice: loading a unit twice may count it twice
  accumulates: the table holds states that intervals are merged into: a merged interval can be neither removed nor
    merged again
  has_merge_timeline: a history by time: its batches are merges, each after the one before, and the table holds rows
    that its source no longer has, so that only a full refresh may empty it
  replaces_partitions: a batch replaces the partitions that its rows belong to
  rebuilds_to_restate: a window over recorded units rebuilds the table: rows do not show which unit they came from, so
    they cannot be replaced selectively
  blocks_full_refresh: disable_restatement also blocks --full-refresh
#}
{% macro kind_traits(kind, options={}) %}
  {% set record = dbt_kinds['kind_' ~ kind](options) %}
  {% set traits = dict({
    'own_options': none, 'plan': 'plan_by_intervals', 'query': 'compiled_query', 'rows': 'query_of_batch',
    'stage': none,
    'ignores_intervals': false, 'diffs_against_target': false, 'reads_its_table': false, 'appends_rows': false,
    'accumulates': false,
    'has_merge_timeline': false, 'replaces_partitions': false, 'compares_rows': false, 'filters_by_time': false,
    'can_be_proven': false, 'writes_ranges': false, 'takes_once': false,
    'row_key': 'row', 'numbers_by_run': false, 'is_dated_by_source': false,
    'replaces_table': false, 'rebuilds_to_restate': false,
  }, **record) %}
  {% do return(dict({
    'is_change_driven': traits.diffs_against_target, 'may_count_twice': traits.appends_rows,
    'blocks_full_refresh': options.get('disable_restatement', false) and not traits.ignores_intervals
      and not traits.has_merge_timeline,
  }, **traits)) %}
{% endmacro %}


{# The same of a node of the graph, as far as it holds of all models of the kind; empty for a node of no kind. Pure. #}
{% macro traits_of(node) %}
  {% do return(dbt_kinds.kind_traits(node.config.materialized) if node.config.materialized in dbt_kinds.kinds()
    else {}) %}
{% endmacro %}
