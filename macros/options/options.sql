{#
  The options of one model, with defaults, and validated: how settings are written is known here, and in the other files
  of this folder. What a kind is may depend on its options, so kind_traits is asked before and after they are read.
  `node` is the model of the context, or a node of dbt's graph. Columns are checked later, against the query.
#}
{% macro options(node) %}
  {% set model, given, table = node.name, dbt_kinds.given_options(node), dbt_kinds.option_table() %}
  {% do dbt_kinds.check_table_name(node) %}
  {% do dbt_kinds.check_own_table(node) %}
  {% do dbt_kinds._check_option_names(node, given, table) %}

  {% set kind = dbt_kinds._kind_of(node, given) %}
  {% set options = {
    'model': model, 'unique_id': node.unique_id,
    'relation': dbt_kinds.relation_key(node.database, node.schema, node.alias), 'kind': kind,
    'traits': dbt_kinds.kind_traits(kind), 'file_format': dbt_kinds._file_format(node),
    'partition_by': dbt_kinds._partition_by(node), 'liquid_clustering': dbt_kinds.liquid_clustering(node),
    'time_column': none, 'batch_size': none,
  } %}
  {% do options.update(dbt_kinds._read_options(model, node.config.materialized, given, table)) %}
  {% do options.update(dbt_kinds.schedule_options(model, given, options)) %}
  {% do options.update(dbt_kinds._schema_change_options(model, given)) %}
  {% do options.update({'batch_size': dbt_kinds._batch_size(model, given.batch_size)}) if 'batch_size' in given %}
  {% do options.update({'audits': dbt_kinds.audit_options(model, kind, given.get('audits', []))}) %}
  {% do options.update(dbt_kinds.lookback_options(model, given)) %}
  {% do options.update({'ready_until': dbt_kinds.ready_until_option(model, given.get('ready_until'))}) %}
  {% do options.update({'sink': dbt_kinds.sink_options(model, given)}) if 'sink' in given %}
  {% do dbt_kinds._check_bounds(options) %}
  {% do options.update(dbt_kinds[options.traits.own_options](node, options, given))
    if options.traits.own_options is not none %}
  {% do options.update(dbt_kinds.cursor_options(model, given)) %}
  {% do dbt_kinds._check_capture(options, given) if options.get('capture') is not none %}
  {% do options.update({'traits': dbt_kinds.kind_traits(kind, options)}) %}
  {% do dbt_kinds._check_partitions(options) if options.traits.replaces_partitions %}
  {% do dbt_kinds._check_append_only(node, options) if options.file_format == 'delta' %}
  {% do return(options) %}
{% endmacro %}


{# Its materialization; another name is resolved, and histories by run are a kind of their own. #}
{% macro _kind_of(node, given) %}
  {% set kind = node.config.materialized %}
  {% if kind == 'scd_type_2_by_column'
      and dbt_kinds.one_of(node.name, 'validity', given.get('validity', 'time'), ['time', 'run_sequence'])
      == 'run_sequence' %}
    {% do return('scd_type_2_by_run') %}
  {% endif %}
  {% do return('scd_type_2_by_time' if kind == 'scd_type_2' else kind) %}
{% endmacro %}


{# The options of the table that have a type: as given, or their defaults. #}
{% macro _read_options(model, kind, given, table) %}
  {% set options = {} %}
  {% for name, row in table.items() if row.type is defined and (row.kinds == 'any' or kind in row.kinds) %}
    {% set written = row.synonym if row.synonym is defined and name not in given else name %}
    {% if written in given %}
      {% do options.update({name: dbt_kinds.read_option(model, written, given[written], row)}) %}
    {% else %}
      {% set has_own = row.except is defined and kind in row.except.kinds %}
      {% do options.update({name: row.except.default if has_own else row.get('default')}) %}
    {% endif %}
  {% endfor %}
  {% do return(options) %}
{% endmacro %}


{# The options of a node of the graph, read once per run. #}
{% macro options_of(node) %}
  {% set known = dbt_kinds.run_memory('options') %}
  {% if node.unique_id not in known %}
    {% do known.update({node.unique_id: dbt_kinds.options(node)}) %}
  {% endif %}
  {% do return(known[node.unique_id]) %}
{% endmacro %}


{#
  The model's settings, from meta, else from the top level. At the top level only explicitly set values count:
  dbt fills in fields of its own there (lookback is 1 in every model; measured on 1.11).
#}
{% macro given_options(node) %}
  {% set given = {} %}
  {% for name in node.unrendered_config if node.config.get(name) is not none %}
    {% do given.update({name: node.config[name]}) %}
  {% endfor %}
  {% for name, value in dbt_kinds.meta_of(node).items() if value is not none %}
    {% do given.update({name: value}) %}
  {% endfor %}
  {% do return(given) %}
{% endmacro %}


{% macro _check_option_names(node, given, table) %}
  {% set kind, others = node.config.materialized, dbt_kinds.options_of_dbt() %}
  {% for name in given if name not in others %}
    {% if name not in table %}
      {% set meant = dbt_kinds.nearest_option(name, table) %}
      {% if meant is not none %}
        {% do dbt_kinds.fail(node.name, "unknown option '" ~ name ~ "'; did you mean '" ~ meant ~ "'?") %}
      {% endif %}
    {% elif table[name].kinds != 'any' and kind not in table[name].kinds %}
      {% do dbt_kinds.fail(node.name,
        "option '" ~ name ~ "' belongs to " ~ table[name].kinds | join(', ') ~ '; remove it from this '
        ~ kind ~ ' model') %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# A run with `capture` reads what its source gained, so options that choose intervals would have no effect. #}
{% macro _check_capture(options, given) %}
  {% set of_key = ['lookback', 'batch_size', 'on_lost_history'] if options.traits.row_key == 'unique_key' else [] %}
  {% for name in ['ready_until'] + of_key if name in given %}
    {% do dbt_kinds.fail(options.model,
      name ~ ' applies to runs that load intervals, and with capture: ' ~ options.capture
        ~ ' a run reads what the source gained; remove it, or remove capture') %}
  {% endfor %}
{% endmacro %}


{# dbt's on_schema_change sets both at once, unless they are set. #}
{% macro _schema_change_options(model, given) %}
  {% set options = {} %}
  {% if 'on_schema_change' in given %}
    {% set meant = {
      'ignore': ['ignore', 'ignore'], 'fail': ['error', 'error'], 'append_new_columns': ['ignore', 'allow'],
      'sync_all_columns': ['allow', 'allow'],
    } %}
    {% set both = meant[dbt_kinds.one_of(model, 'on_schema_change', given.on_schema_change, meant)] %}
    {% do options.update({'on_destructive_change': both[0]}) if 'on_destructive_change' not in given %}
    {% do options.update({'on_additive_change': both[1]}) if 'on_additive_change' not in given %}
  {% endif %}
  {% do return(options) %}
{% endmacro %}


{# Delta refuses to remove rows of such a table, after it was created. #}
{% macro _check_append_only(node, options) %}
  {% set is_append_only = (node.config.get('tblproperties') or {}).get('delta.appendOnly', false) | string | lower
    == 'true' %}
  {% if is_append_only and (options.traits.accumulates or not options.traits.appends_rows) %}
    {% do dbt_kinds.fail(options.model,
      'tblproperties makes the table delta.appendOnly, and ' ~ options.kind
        ~ ' replaces rows; remove it, or use incremental_unmanaged or append') %}
  {% endif %}
{% endmacro %}


{% macro _check_partitions(options) %}
  {% if not options.partition_by %}
    {% do dbt_kinds.fail(options.model, ('insert_overwrite' if options.get('insert_overwrite') else options.kind)
      ~ " replaces partitions, and partition_by names none; write config(partition_by=['…'])") %}
  {% endif %}
{% endmacro %}


{# A number of intervals; in dbt's microbatch the option names the interval instead. #}
{% macro _batch_size(model, written) %}
  {% if written in ['hour', 'day', 'month', 'year'] %}
    {% do dbt_kinds.fail(model, "batch_size '" ~ written
      ~ "' is not a whole number of 1 or more; it is the length of a batch in dbt's microbatch: write interval_unit: "
      ~ written
      ~ ' instead, and batch_size as a number of intervals or not at all (begin and event_time are read as start and time_column)') %}
  {% endif %}
  {% do return(dbt_kinds.whole_number(model, 'batch_size', written, 1)) %}
{% endmacro %}


{% macro _check_bounds(options) %}
  {% set start, end, unit = options.start, options.end, options.unit %}
  {% if start is not none and end is not none and start >= end %}
    {% do dbt_kinds.fail(options.model, 'start ' ~ start ~ ' is not before end ' ~ end) %}
  {% endif %}
  {% if end is not none and not options.allow_partials %}
    {% set lower, upper = dbt_kinds.floor_to_unit(end, unit), dbt_kinds.ceil_to_unit(end, unit) %}
    {% if lower != upper %}
      {% do dbt_kinds.fail(options.model,
        'end ' ~ end ~ ' is not a boundary of its interval unit; write ' ~ lower ~ ' or ' ~ upper
        ~ ', or set allow_partials: true') %}
    {% endif %}
  {% endif %}
{% endmacro %}


{# What incremental_by_time_range adds to the options that were read. #}
{% macro time_range_options(node, options, given) %}
  {% do return({'time_column': dbt_kinds.time_column(options.model,
    given.get('time_column', given.get('event_time')))}) %}
{% endmacro %}


{# `{column, format}`; the format is none until the column's type is known. #}
{% macro time_column(model, written) %}
  {% if not written %}
    {% do dbt_kinds.fail(model,
      "time_column is missing; name the column of the query that says when a row happened, as in "
      ~ "meta={'time_column': 'created_at'}") %}
  {% elif written is string %}
    {% do return({'column': written, 'format': none}) %}
  {% elif written is not mapping or not written.get('column')
      or written.keys() | reject('in', ['column', 'format']) | list %}
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
    {% do dbt_kinds.validate_sql_fragment(node.name, 'partition_by', field) %}
    {% if dbt_kinds._file_format(node) == 'delta' %}
      {% do dbt_kinds.fail(node.name,
        "partition_by '" ~ field
          ~ "' is an expression, and Delta partitions by columns only; select it as a column of the query and name that, or use file_format: iceberg") %}
    {% endif %}
  {% endfor %}
  {% do return(fields) %}
{% endmacro %}


{# SQL: how a new Delta table is clustered, by dbt-databricks' configs; empty if it is not. #}
{% macro liquid_clustering(node) %}
  {% set columns, is_auto = node.config.get('liquid_clustered_by') or [], node.config.get('auto_liquid_cluster') %}
  {% if not columns and not is_auto %}
    {% do return('') %}
  {% endif %}
  {% set name = 'liquid_clustered_by' if columns else 'auto_liquid_cluster' %}
  {% if dbt_kinds._file_format(node) != 'delta' %}
    {% do dbt_kinds.fail(node.name, name ~ ' clusters Delta tables, and this one is ' ~ dbt_kinds._file_format(node)
      ~ '; leave it out, or use file_format: delta') %}
  {% elif node.config.get('partition_by') %}
    {% do dbt_kinds.fail(node.name,
      'Delta clusters a table or partitions it, not both; leave out ' ~ name ~ ' or partition_by') %}
  {% elif columns %}
    {% set fields = [columns] if columns is string else columns | list %}
    {% do return('cluster by (' ~ dbt_kinds.partition_fields(fields) | join(', ') ~ ')') %}
  {% elif adapter.type() != 'databricks' %}
    {% do dbt_kinds.fail(node.name,
      'auto_liquid_cluster is for Databricks, which chooses the columns; name them in liquid_clustered_by') %}
  {% endif %}
  {% do return('cluster by auto') %}
{% endmacro %}
