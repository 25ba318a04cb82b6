{#
  The options of one model, parsed, with defaults, and validated: the only place that knows how settings are written.
  `node` is the model of the context, or a node of dbt's graph. Columns are checked later, against the query.
#}
{% macro options(node) %}
  {% set model = node.name %}
  {% do dbt_kinds.check_table_name(node) %}
  {% do dbt_kinds.check_own_table(node) %}
  {% set given = dbt_kinds._given_options(node) %}
  {% do dbt_kinds._check_option_names(node, given) %}

  {% set kind = 'scd_type_2_by_time' if node.config.materialized == 'scd_type_2' else node.config.materialized %}
  {% if kind == 'scd_type_2_by_column' %}
    {% set kind = {'time': kind, 'run_sequence': 'scd_type_2_by_run'}[dbt_kinds.one_of(model, 'validity', given.get('validity', 'time'), ['time', 'run_sequence'])] %}
  {% endif %}
  {% set keeps_history = kind in dbt_kinds.history_kinds() %}
  {% set week_start = given.get('week_start', 'monday') | string | lower %}
  {% if week_start not in ['monday', 'sunday'] %}
    {% do dbt_kinds.fail(model, "week_start '" ~ given.week_start ~ "' is neither monday nor sunday") %}
  {% endif %}
  {% set cron = given.get('cron', '@daily') %}
  {% set schedule = dbt_kinds.read_cron(model, 'cron', cron) %}
  {% set options = {
    'model': model,
    'unique_id': node.unique_id,
    'relation': dbt_kinds.relation_key(node.database, node.schema, node.alias),
    'kind': kind,
    'cron': cron,
    'cron_schedule': schedule,
    'cron_tz': dbt_kinds.check_time_zone(model, given.get('cron_tz', 'UTC')),
    'unit': dbt_kinds.interval_unit(model, given.interval_unit, week_start) if 'interval_unit' in given
      else dbt_kinds.cron_unit(model, 'cron', schedule, week_start),
    'start': dbt_kinds._instant_option(model, given, 'start', 'begin'),
    'end': dbt_kinds._instant_option(model, given, 'end'),
    'batch_size': dbt_kinds._batch_size(model, given.batch_size) if 'batch_size' in given else none,
    'allow_partials': dbt_kinds.true_or_false(model, 'allow_partials', given.get('allow_partials', false)) and not keeps_history
      and kind != 'cumulative_aggregate',
    'disable_restatement': dbt_kinds.true_or_false(model, 'disable_restatement', given.get('disable_restatement', kind in ['incremental_unmanaged', 'append', 'events'] or keeps_history)),
    'auto_restatement': dbt_kinds._auto_restatement(model, given),
    'on_query_change': dbt_kinds.one_of(model, 'on_query_change', given.get('on_query_change', 'forward'), ['forward', 'rebuild', 'error']),
    'on_upstream_change': dbt_kinds.one_of(model, 'on_upstream_change', given.get('on_upstream_change'), ['reprocess', 'ignore'])
      if 'on_upstream_change' in given else none,
    'on_destructive_change': dbt_kinds._schema_change_option(model, given, 'on_destructive_change', 'error'),
    'on_additive_change': dbt_kinds._schema_change_option(model, given, 'on_additive_change', 'allow'),
    'time_column': dbt_kinds.time_column(model, given.get('time_column', given.get('event_time'))) if kind == 'incremental_by_time_range' else none,
    'audits': dbt_kinds.audit_options(model, kind, given.get('audits', [])),
    'file_format': dbt_kinds._file_format(node),
    'partition_by': dbt_kinds._partition_by(node),
    'partition_by_time_column':
      dbt_kinds.true_or_false(model, 'partition_by_time_column', given.get('partition_by_time_column', true)),
  } %}
  {% do options.update(dbt_kinds.lookback_options(model, given)) %}
  {% do options.update(dbt_kinds.readiness_options(model, given)) %}
  {% do options.update({'sink': dbt_kinds.sink_options(model, given)} if 'sink' in given else {}) %}
  {% do dbt_kinds._check_bounds(options) %}
  {% if kind == 'incremental_by_unique_key' %}
    {% do options.update(dbt_kinds.key_options(node, given)) %}
    {% do options.update({'capture': dbt_kinds.one_of(model, 'capture', given.capture, ['snapshot'])} if 'capture' in given else {}) %}
  {% elif keeps_history %}
    {% do options.update(dbt_kinds.history_options(options, given)) %}
  {% elif kind == 'cumulative_aggregate' %}
    {% do options.update(dbt_kinds.cumulative_options(model, given)) %}
  {% elif kind == 'incremental_unmanaged' %}
    {% do options.update({'insert_overwrite': dbt_kinds.true_or_false(model, 'insert_overwrite', given.get('insert_overwrite', false))}) %}
  {% elif kind == 'tracked' %}
    {% do options.update(dbt_kinds.group_options(model, given)) %}
  {% elif kind == 'scd_type_2_by_run' %}
    {% do options.update(dbt_kinds.run_history_options(model, given)) %}
  {% elif kind == 'append' %}
    {% do options.update(dbt_kinds.append_options(model, given)) %}
  {% elif kind == 'events' %}
    {% do options.update(dbt_kinds.events_options(model, given)) %}
  {% elif kind == 'full' %}
    {% do options.update({'skip_unchanged': dbt_kinds.true_or_false(model, 'skip_unchanged', given.get('skip_unchanged', false))}) %}
  {% endif %}
  {% do options.update(dbt_kinds.cursor_options(model, given)) %}
  {% do dbt_kinds._check_capture(options, given) if options.get('capture') is not none %}
  {% do dbt_kinds._check_partitions(options) if kind == 'incremental_by_partition' or options.insert_overwrite %}
  {% do return(options) %}
{% endmacro %}


{# The options of a node of the graph, read once per run. #}
{% macro options_of(node) %}
  {% set known = dbt_kinds.run_memory().options %}
  {% if node.unique_id not in known %}
    {% do known.update({node.unique_id: dbt_kinds.options(node)}) %}
  {% endif %}
  {% do return(known[node.unique_id]) %}
{% endmacro %}


{#
  The model's settings, from meta, else from the top level. At the top level only explicitly set values count:
  dbt fills in fields of its own there (lookback is 1 in every model; measured on 1.11).
#}
{% macro _given_options(node) %}
  {% set given = {} %}
  {% for name in node.unrendered_config if node.config.get(name) is not none %}
    {% do given.update({name: node.config[name]}) %}
  {% endfor %}
  {% for name, value in dbt_kinds.meta_of(node).items() if value is not none %}
    {% do given.update({name: value}) %}
  {% endfor %}
  {% do return(given) %}
{% endmacro %}


{% macro _check_option_names(node, given) %}
  {% set kind = node.config.materialized %}
  {% set kinds_of = dbt_kinds.option_kinds() %}
  {% for name in given %}
    {% if name not in kinds_of %}
      {% set meant = dbt_kinds.nearest_option(name) %}
      {% if meant is not none %}
        {% do dbt_kinds.fail(node.name, "unknown option '" ~ name ~ "'; did you mean '" ~ meant ~ "'?") %}
      {% endif %}
    {% elif kinds_of[name] != 'any' and kind not in kinds_of[name] %}
      {% do dbt_kinds.fail(node.name, "option '" ~ name ~ "' belongs to " ~ kinds_of[name] | join(', ') ~ '; remove it from this '
        ~ kind ~ ' model') %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# A run with `capture` reads what its source gained, so options that choose intervals would have no effect. #}
{% macro _check_capture(options, given) %}
  {% set of_key = ['lookback', 'batch_size', 'on_lost_history'] if options.kind == 'incremental_by_unique_key' else [] %}
  {% for name in ['ready_until'] + of_key if name in given %}
    {% do dbt_kinds.fail(options.model, name ~ ' applies to runs that load intervals, and with capture: ' ~ options.capture ~ ' a run reads what the source gained; remove it, or remove capture') %}
  {% endfor %}
{% endmacro %}


{# dbt's on_schema_change sets both at once. #}
{% macro _schema_change_option(model, given, name, default) %}
  {% if name not in given and 'on_schema_change' in given %}
    {% set meant = {
      'ignore': ['ignore', 'ignore'], 'fail': ['error', 'error'], 'append_new_columns': ['ignore', 'allow'], 'sync_all_columns': ['allow', 'allow'],
    } %}
    {% set written = dbt_kinds.one_of(model, 'on_schema_change', given.on_schema_change, meant) %}
    {% do return(meant[written][1 if name == 'on_additive_change' else 0]) %}
  {% endif %}
  {% do return(dbt_kinds.one_of(model, name, given.get(name, default), ['error', 'warn', 'allow', 'ignore'])) %}
{% endmacro %}


{% macro _check_partitions(options) %}
  {% if not options.partition_by %}
    {% do dbt_kinds.fail(options.model, ('insert_overwrite' if options.insert_overwrite else options.kind)
      ~ " replaces partitions, and partition_by names none; write config(partition_by=['…'])") %}
  {% endif %}
{% endmacro %}


{% macro _instant_option(model, given, name, dbt_name=none) %}
  {% set written = name if name in given else dbt_name %}
  {% if written in given %}
    {% do return(dbt_kinds.parse_instant(model, written, given[written])) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# A number of intervals; in dbt's microbatch the option names the interval instead. #}
{% macro _batch_size(model, written) %}
  {% if written in ['hour', 'day', 'month', 'year'] %}
    {% do dbt_kinds.fail(model, "batch_size '" ~ written ~ "' is not a whole number of 1 or more; it is the length of a batch in dbt's microbatch: write interval_unit: " ~ written
      ~ ' instead, and batch_size as a number of intervals or not at all (begin and event_time are read as start and time_column)') %}
  {% endif %}
  {% do return(dbt_kinds.whole_number(model, 'batch_size', written, 1)) %}
{% endmacro %}


{# `{schedule, intervals}`, with the parsed schedule, intervals none for all; none without a schedule. #}
{% macro _auto_restatement(model, given) %}
  {% set intervals = dbt_kinds.whole_number(model, 'auto_restatement_intervals', given.auto_restatement_intervals, 1)
    if 'auto_restatement_intervals' in given else none %}
  {% if 'auto_restatement_cron' not in given and intervals is not none %}
    {% do dbt_kinds.fail(model, "auto_restatement_intervals is how many intervals auto_restatement_cron reloads, and there is none; write when, as in auto_restatement_cron: '@weekly', or remove it") %}
  {% elif 'auto_restatement_cron' not in given %}
    {% do return(none) %}
  {% endif %}
  {% do return({
    'schedule': dbt_kinds.read_cron(model, 'auto_restatement_cron', given.auto_restatement_cron), 'intervals': intervals,
  }) %}
{% endmacro %}


{% macro _check_bounds(options) %}
  {% set start, end, unit = options.start, options.end, options.unit %}
  {% if start is not none and end is not none and start >= end %}
    {% do dbt_kinds.fail(options.model, 'start ' ~ start ~ ' is not before end ' ~ end) %}
  {% endif %}
  {% if end is not none and not options.allow_partials %}
    {% set lower, upper = dbt_kinds.floor_to_unit(end, unit), dbt_kinds.ceil_to_unit(end, unit) %}
    {% if lower != upper %}
      {% do dbt_kinds.fail(options.model, 'end ' ~ end ~ ' is not a boundary of its interval unit; write ' ~ lower ~ ' or ' ~ upper
        ~ ', or set allow_partials: true') %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# `{column, format}`; the format is none until the column's type is known. #}
{% macro time_column(model, written) %}
  {% if not written %}
    {% do dbt_kinds.fail(model, "time_column is missing; name the column of the query that says when a row happened, as in "
      ~ "meta={'time_column': 'created_at'}") %}
  {% elif written is string %}
    {% do return({'column': written, 'format': none}) %}
  {% elif written is not mapping or not written.get('column') or written.keys() | reject('in', ['column', 'format']) | list %}
    {% do dbt_kinds.fail(model, "time_column '" ~ written ~ "' is neither a name nor {'column': …, 'format': …}") %}
  {% endif %}
  {% do return({'column': written.column, 'format': written.get('format')}) %}
{% endmacro %}


{# Without file_format dbt-spark creates a Hive text table. #}
{% macro _file_format(node) %}
  {% set file_format = (node.config.get('file_format') or dbt_kinds.native_format()) | lower %}
  {% if file_format not in ['iceberg', 'delta', 'parquet', 'orc'] %}
    {% do dbt_kinds.fail(node.name, "file_format '" ~ file_format ~ "' is not one that the kinds write; "
      ~ 'write iceberg, delta, parquet or orc') %}
  {% endif %}
  {% do return(file_format) %}
{% endmacro %}


{% macro _partition_by(node) %}
  {% set written = node.config.get('partition_by') or [] %}
  {% set fields = [written] if written is string else written | list %}
  {% for field in fields if field is string and dbt_kinds.is_partition_function(field) %}
    {% do dbt_kinds.check_closed(node.name, 'partition_by', field) %}
  {% endfor %}
  {% do return(fields) %}
{% endmacro %}
