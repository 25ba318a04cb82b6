{#
  Every option: the kinds that take it (`any`: it may be set for a whole project), its type, and its default where it
  has one.
  Types are those of read_option; an option without a type is read by a macro of its own in this folder, mostly by that
  of its kind (`own_options`). `except` has the kinds whose default differs. The comment above a group of options is
  what the manual says of them: defaults | meaning (docs/reference/options.md, by docs/.reference/write.py).
#}
{% macro option_table() %}
  {% set by_range, by_key, by_partition = ['incremental_by_time_range'], ['incremental_by_unique_key'],
    ['incremental_by_partition'] %}
  {% set unmanaged, append, events, tracked, full = ['incremental_unmanaged'], ['append'], ['events'], ['tracked'],
    ['full'] %}
  {% set cumulative, by_time, by_column = ['cumulative_aggregate'], ['scd_type_2', 'scd_type_2_by_time'],
    ['scd_type_2_by_column'] %}
  {% set scd_2 = by_time + by_column %}
  {% set rows = {} %}

  {#
    required by time range | the column that says when a row happened: a date, timestamp or timestamp_ntz, or
    `{column, format}` for text and integers (`%Y%m%d` or `yyyyMMdd`; text without a format is `%Y-%m-%d`).
    `event_time` is dbt's name for it
  #}
  {% do rows.update({'time_column': {'kinds': by_range + cumulative}, 'event_time': {'kinds': 'any'}}) %}

  {#
    the first recorded instant, none | half-open bounds, in UTC; `begin` is dbt's name for `start`. The first load
    needs `start`, unless it has a window
  #}
  {% do rows.update({
    'start': {'kinds': 'any', 'type': 'instant', 'synonym': 'begin'}, 'end': {'kinds': 'any', 'type': 'instant'},
    'begin': {'kinds': 'any'},
  }) %}

  {#
    `@daily`, UTC | when an interval is due: five fields, or `@hourly` `@daily` `@weekly` `@monthly` `@quarterly`
    `@yearly`; the IANA time zone in which the cron is read
  #}
  {% do rows.update({'cron': {'kinds': 'any', 'type': 'any', 'default': '@daily'},
    'cron_tz': {'kinds': 'any', 'type': 'time zone', 'default': 'UTC'}}) %}

  {#
    from `cron`, `monday` | `year` `quarter` `month` `week` `day` `hour` `half_hour` `quarter_hour` `five_minute`, or
    a count such as `6 hours`; weeks that begin on `sunday`
  #}
  {% do rows.update({'interval_unit': {'kinds': 'any'}, 'week_start': {'kinds': 'any'}}) %}

  {#
    0 | how many units before a missing one are reloaded with it, for late data; `auto` detects late rows in the
    sources and reloads only their units: [late data](../concepts/late-data.md). By time range and by key without
    `capture`
  #}
  {% do rows.update({'lookback': {'kinds': by_range + by_key}}) %}

  {#
    none, `load` | a query that returns the time up to which the sources are complete; `wait` until the parents have
    loaded what a unit reads: [readiness](../concepts/readiness.md). Kinds that load intervals have `ready_until`;
    models with `capture` or `validity: run_sequence` do not
  #}
  {% do rows.update({
    'ready_until': {'kinds': by_range + by_key + by_partition + unmanaged + append + scd_2 + cumulative},
    'on_missing_upstream': {'kinds': 'any', 'type': 'choice', 'values': ['load', 'wait'], 'default': 'load'},
  }) %}

  {# none | the most batches that one run loads, oldest first #}
  {% do rows.update({'max_batches': {'kinds': 'any', 'type': 'number', 'least': 1, 'default': none}}) %}

  {# none | units in one write; without it a contiguous range is one write #}
  {% do rows.update({'batch_size': {'kinds': by_range + by_key + scd_2 + cumulative}}) %}

  {# 1 | how many [workers](../operate/change.md#several-workers-at-once) `dbt-kinds backfill` starts #}
  {% do rows.update({'batch_concurrency': {'kinds': by_range, 'type': 'number', 'least': 1, 'default': 1}}) %}

  {# false | load the unit that is not over yet, up to now #}
  {% do rows.update({'allow_partials': {'kinds': 'any', 'type': 'boolean', 'default': false}}) %}

  {# none, all | a schedule on which units are reloaded, and how many of the last ones; the number needs the schedule #}
  {% do rows.update({'auto_restatement_cron': {'kinds': by_range},
    'auto_restatement_intervals': {'kinds': by_range}}) %}

  {# `forward` | when the query has changed: `forward` keeps what is loaded, `rebuild` reloads it, `error` stops #}
  {% do rows.update({'on_query_change': {'kinds': 'any', 'type': 'choice', 'values': ['forward', 'rebuild', 'error'],
    'default': 'forward'}}) %}

  {#
    by time range `reprocess` for parents by time range whose units nest with its own; otherwise `ignore` | when a
    parent reloaded an interval, or loaded it late: `reprocess` what was read from it, or `ignore` it. Kinds that
    append rows, `cumulative_aggregate` and SCD type 2 always ignore it
  #}
  {% do rows.update({'on_upstream_change': {'kinds': 'any', 'type': 'choice', 'values': ['reprocess', 'ignore'],
    'default': none}}) %}

  {#
    false; true for `incremental_unmanaged`, `append`, `events` and SCD type 2 | keep what is recorded, whatever
    window a run requests. `--full-refresh` is ignored as well, except for SCD type 2, `full`, `tracked` and models
    with `capture`
  #}
  {% do rows.update({'disable_restatement': {'kinds': 'any', 'type': 'boolean', 'default': false,
    'except': {'kinds': unmanaged + append + events + scd_2, 'default': true}}}) %}

  {# required by key, cumulative aggregates and SCD type 2 | a column, a list, or SQL expressions #}
  {% do rows.update({'unique_key': {'kinds': by_key + scd_2 + cumulative}}) %}

  {#
    update | by key: what happens to a row whose key exists. `when matched [and …] then update set …` or `then
    delete`, one or several, with the aliases `source` and `target`; or the same as a list of `{condition, action,
    set}`. The first that applies is used
  #}
  {% do rows.update({'when_matched': {'kinds': by_key}}) %}

  {#
    none | by key: a condition on `source` and `target`; a row whose key exists but that fails the condition is
    neither updated nor inserted a second time. dbt's `incremental_predicates` means the same
  #}
  {% do rows.update({'merge_filter': {'kinds': by_key}, 'incremental_predicates': {'kinds': 'any'}}) %}

  {#
    `error`, none | what happens with several rows of one key in a batch: an error that names some of them, or
    `keep_latest`, which keeps the one with the greatest `order_by` (or the first, if `order_by` says `asc` or
    `desc`); SCD type 2 by time goes by updated_at. By key also `replace_all`: [a key names a group of
    rows](../kinds/incremental_by_unique_key.md#rows-of-a-key-that-come-together), which a batch replaces together
  #}
  {% do rows.update({
    'duplicate_keys': {'kinds': by_key + scd_2, 'type': 'choice', 'values': ['error', 'keep_latest', 'replace_all'],
      'default': 'error'}, 'order_by': {'kinds': by_key},
  }) %}

  {# `error` | `match`: NULL is a key like any other #}
  {% do rows.update({'null_keys': {'kinds': by_key + scd_2, 'type': 'choice', 'values': ['error', 'match'],
    'default': 'error'}}) %}

  {#
    true, or false with `when_matched`; false | by key: leave rows alone that are equal; never update. dbt's
    `merge_update_columns` and `merge_exclude_columns` work as well
  #}
  {% do rows.update({'update_only_changed': {'kinds': by_key, 'type': 'boolean'},
    'insert_only': {'kinds': by_key, 'type': 'boolean', 'default': false}}) %}

  {# false | unmanaged: replace partitions #}
  {% do rows.update({'insert_overwrite': {'kinds': unmanaged, 'type': 'boolean', 'default': false}}) %}

  {#
    false | full: do nothing while neither the query nor the contents of its tables have changed; the status says why
    a run was not skipped
  #}
  {% do rows.update({'skip_unchanged': {'kinds': full, 'type': 'boolean', 'default': false}}) %}

  {# none | by key `snapshot`, append also `cursor`: [load what a source gained](../kinds/append.md) #}
  {% do rows.update({'capture': {'kinds': by_key + append}}) %}

  {#
    none, `1970-01-01T00:00:00Z` | a column whose values only grow, for `dbt_kinds.last_value()` in the query, and
    where it begins: [by a cursor](../kinds/append.md)
  #}
  {% do rows.update({'cursor': {'kinds': append + by_key + tracked + full},
    'cursor_initial': {'kinds': append + by_key + tracked + full}}) %}

  {#
    `warn` with `lookback: auto`, `error` for append | what happens when the snapshot of the last load has expired;
    `reload` reloads: [late data](../concepts/late-data.md), [append](../kinds/append.md)
  #}
  {% do rows.update({'on_lost_history': {'kinds': by_range + by_key + append}}) %}

  {#
    `reload` | append with `capture: snapshot`: the columns of the source changed; `reload` replaces all rows, `error`
    stops
  #}
  {% do rows.update({'on_source_change': {'kinds': append, 'type': 'choice', 'values': ['reload', 'error'],
    'default': 'reload'}}) %}

  {# none | append: codes of query shapes that `dbt-kinds check` and `compile` accept #}
  {% do rows.update({'delta_overrides': {'kinds': append}}) %}

  {#
    required by tracked, `_content_hash` | the columns whose rows belong together, and the column that the kind adds:
    [tracked](../kinds/tracked.md)
  #}
  {% do rows.update({'group_key': {'kinds': tracked},
    'content_hash_name': {'kinds': tracked, 'type': 'column', 'default': '_content_hash'}}) %}

  {#
    `error`; for SCD type 2 with `invalidate_hard_deletes`, `delete` with a warning | what happens if the query
    returns no rows: `error`, `keep`, `delete`: [tracked](../kinds/tracked.md), [history](../kinds/history.md)
  #}
  {% do rows.update({'empty_source': {
    'kinds': tracked + scd_2, 'type': 'choice', 'values': ['error', 'keep', 'delete'], 'default': 'error',
    'except': {'kinds': scd_2, 'default': none},
  }}) %}

  {#
    required by events and by SCD type 2 by column | the columns of events, or those whose change begins a version;
    `*` for all
  #}
  {% do rows.update({'columns': {'kinds': by_column + events}}) %}

  {# `time` | SCD type 2 by column: `run_sequence` [numbers versions by runs](../coming-from/ondatrasql.md) #}
  {% do rows.update({'validity': {'kinds': by_column}}) %}

  {# `updated_at`; by column none | SCD type 2: the column that dates a change #}
  {% do rows.update({'updated_at_name': {'kinds': scd_2, 'type': 'column', 'default': none,
    'except': {'kinds': by_time, 'default': 'updated_at'}}}) %}

  {#
    `valid_from`, `valid_to`, `timestamp` | SCD type 2: the names of the two columns, and their type: `timestamp`,
    `timestamp_ntz` or `date`
  #}
  {% do rows.update({
    'valid_from_name': {'kinds': scd_2, 'type': 'column', 'default': 'valid_from'},
    'valid_to_name': {'kinds': scd_2, 'type': 'column', 'default': 'valid_to'},
    'time_data_type': {'kinds': scd_2, 'type': 'choice', 'values': ['timestamp', 'timestamp_ntz', 'date'],
      'default': 'timestamp'},
  }) %}

  {#
    false | SCD type 2, by time and by column: date the rows of the first load like any later row, instead of
    1970-01-01
  #}
  {% do rows.update({
    'updated_at_as_valid_from': {'kinds': by_time, 'type': 'boolean', 'default': false},
    'execution_time_as_valid_from': {'kinds': by_column, 'type': 'boolean', 'default': false},
  }) %}

  {#
    false, `error` | SCD type 2: close the version of a key that the source no longer has; `allow` it although the
    query filters by its window
  #}
  {% do rows.update({
    'invalidate_hard_deletes': {'kinds': scd_2, 'type': 'boolean', 'default': false},
    'hard_deletes_from_filtered_query': {'kinds': scd_2, 'type': 'choice', 'values': ['error', 'allow'],
      'default': 'error'},
  }) %}

  {#
    required by events, 10000, `reject` | [events](../kinds/events.md): `landing: {path: …}` or `{table: …}`; the most
    files of a run; what happens to a line that cannot be read
  #}
  {% do rows.update({
    'landing': {'kinds': events}, 'max_files': {'kinds': events, 'type': 'number', 'least': 1, 'default': 10000},
    'on_bad_record': {'kinds': events, 'type': 'choice', 'values': ['reject', 'error'], 'default': 'reject'},
  }) %}

  {# none | by key, tracked, append, full: [send what runs change elsewhere](../operate/push.md) #}
  {% do rows.update({'sink': {'kinds': full + tracked + by_key + append}}) %}

  {# none | generic tests that each batch has to pass before it is published: [audits](../concepts/audits.md) #}
  {% do rows.update({'audits': {'kinds': 'any'}}) %}

  {#
    `error`, `allow` | a column that the query lost, or whose type changed, and one that it gained, or a wider type:
    `error`, `warn`, `allow`, `ignore`. Under `ignore` a lost column stays and gets NULL, and values of a wider type
    are cast to the table's type; one that does not fit stops the run. Parquet and ORC add columns, and refuse what
    would need the table to be rewritten. dbt's `on_schema_change` sets both: `ignore` is `ignore` and `ignore`,
    `fail` is `error` and `error`, `append_new_columns` is `ignore` and `allow`, `sync_all_columns` is `allow` and
    `allow`
  #}
  {% do rows.update({
    'on_destructive_change': {'kinds': 'any', 'type': 'choice', 'values': ['error', 'warn', 'allow', 'ignore'],
      'default': 'error'},
    'on_additive_change': {'kinds': 'any', 'type': 'choice', 'values': ['error', 'warn', 'allow', 'ignore'],
      'default': 'allow'},
    'on_schema_change': {'kinds': 'any'},
  }) %}

  {#
    required by cumulative aggregates | how two states of a column become one: `add` `least` `greatest` `and` `or`
    `bit_and` `bit_or` `bit_xor`
  #}
  {% do rows.update({'combine': {'kinds': cumulative}}) %}

  {# true | time range: partition a new table by the time column when `partition_by` is not set #}
  {% do rows.update({'partition_by_time_column': {'kinds': by_range, 'type': 'boolean', 'default': true}}) %}

  {% do return(rows) %}
{% endmacro %}
