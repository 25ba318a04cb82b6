{#
  lookback: auto: the changes in a model's sources since it read them, `{sources, late}`. `sources` is what its next
  loads record about their sources, see note_of_source; `late` is what late_units takes. Relations that the model
  follows as parents are left out, because propagation is more precise.
#}
{% macro late_data(node, options, loads, settings, sql, parents) %}
  {% set sources, late = {}, [] %}
  {% if options.late_data is none or not settings.get('asks_sources', true) %}
    {% do return({'sources': [], 'late': []}) %}
  {% endif %}
  {% set windows = dbt_kinds.source_windows(sql) if sql is not none else dbt_kinds._written_windows(node) %}
  {% do dbt_kinds._check_reads_windows(node, options, windows, parents, sql) if sql is not none %}
  {% set asks = loads != [] and settings.start is none and not settings.full_refresh %}
  {% set noted = dbt_kinds.noted_sources(options.relation) if asks else [] %}
  {% for source in dbt_kinds._watched_sources(node, options, windows, parents, sql) %}
    {% set found = dbt_kinds._late_in_files(options, loads if asks else [], noted, source)
      if not dbt_kinds.supports_snapshots(source.facts.file_format)
      else dbt_kinds._late_in_snapshots(options, loads if asks else [], noted, source) %}
    {% do late.append({'relation': source.key, 'hits': found.hits, 'lost': found.lost}) if found.hits or found.lost %}
    {% if asks and source.hashes is none %}
      {% set units = found.lost | list %}
      {% for hit in found.hits %}{% do units.extend(hit.units) %}{% endfor %}
      {% set before = sources[source.name].stale if source.name in sources else [] %}
      {% set stale = dbt_kinds.merge_intervals(before
        + dbt_kinds.as_instants(dbt_kinds.merge_intervals(units), options.unit, '9999')) %}
    {% endif %}
    {% do sources.update({source.name: dict(source, stale=stale if asks and source.hashes is none else none,
      facts=none)}) %}
  {% endfor %}
  {% do return({'sources': sources.values() | list, 'late': late}) %}
{% endmacro %}


{# For an Iceberg or Delta table: what its snapshots changed. #}
{% macro _late_in_snapshots(options, loads, noted, source) %}
  {% set history = dbt_kinds.snapshot_history(source.facts) %}
  {% do source.update({'name': source.key, 'snapshot': history.head, 'hashes': none}) %}
  {% set pieces = dbt_kinds.pieces_of_history(loads, noted, source.name, history) %}
  {% set known = pieces | map(attribute='since') | reject('none') | list %}
  {% set changes = [] %}
  {% if known and known | min < history.snapshots | length %}
    {% for change in dbt_kinds.changed_files(options.model, source.facts, source.column, source.bounds, known | min,
        source.value) %}
      {% do changes.append(dict(change, end=dbt_kinds._behind_value(change.last, source.bounds))) %}
    {% endfor %}
  {% endif %}
  {% do return(dbt_kinds.late_hits(pieces, changes | sort(attribute='first'), source.margins, options.unit)) %}
{% endmacro %}


{# For a Parquet or ORC table: its partitions. #}
{% macro _late_in_files(options, loads, noted, source) %}
  {% do source.update({
    'name': source.key ~ '/' ~ source.value | replace('{}', source.column), 'snapshot': none,
    'hashes': dbt_kinds.partition_hashes(source.facts, source.column, source.bounds, source.value),
  }) %}
  {% set hits, lost = [], [] %}
  {% for piece in dbt_kinds.pieces_of_partitions(loads, noted, source) %}
    {% set changes = [] %}
    {% for instant in piece.changed %}
      {% do changes.append({'position': 1, 'first': instant, 'last': instant,
        'end': dbt_kinds._behind_value(instant, source.bounds)}) %}
    {% endfor %}
    {% set found = dbt_kinds.late_hits([piece], changes, source.margins, options.unit) if changes or piece.since is none
      else {'hits': [], 'lost': []} %}
    {% do hits.extend(found.hits) %}
    {% do lost.extend(found.lost) %}
  {% endfor %}
  {% do return({'hits': hits, 'lost': dbt_kinds.merge_intervals(lost)}) %}
{% endmacro %}


{# The end of the period of a value that is truncated to seconds or to its column's precision. #}
{% macro _behind_value(instant, values) %}
  {% if values.step is not none %}
    {% do return(dbt_kinds.unit_start(dbt_kinds.unit_index(instant, values.step) + 1, values.step)) %}
  {% endif %}
  {% do return((modules.datetime.datetime.fromisoformat(instant)
    + modules.datetime.timedelta(seconds=1)).isoformat()) %}
{% endmacro %}


{# The tables that the query reads through window_of, by table and column:
   `{key, column, value, bounds, margins, facts}`. #}
{% macro _watched_sources(node, options, windows, parents, sql) %}
  {% set left_out, found = dbt_kinds.unwatched_relations(options, parents), {} %}
  {% set ctes = dbt_kinds._ctes_of_model(node, windows, sql) %}
  {% for window in windows if not window.relation %}
    {% do dbt_kinds.fail(options.model,
      'lookback: auto needs window_of(source(…), …) or window_of(ref(…), …), and the query passes a string to window_of') %}
  {% endfor %}
  {% for window in windows if window.relation not in left_out %}
    {% set source = dbt_kinds._watched_source(options, window, ctes, left_out) %}
    {% if source.problem is defined %}
      {% do dbt_kinds.fail(options.model, source.problem) %}
    {% elif source.key not in left_out + [none] %}
      {% set place = source.key ~ ' ' ~ source.value | replace('{}', source.column) | lower %}
      {% do found.setdefault(place, dict(source, margins=[])).margins.append(window) %}
    {% endif %}
  {% endfor %}
  {% do return(found.values() | list) %}
{% endmacro %}


{# The relations that are never asked what changed: the model's own, the parents that it follows, and with
   on_upstream_change: ignore all tables of kinds. #}
{% macro unwatched_relations(options, parents) %}
  {% do return([options.relation] + parents | map(attribute='relation') | list
    + (dbt_kinds._tables_of_kinds() if options.on_upstream_change == 'ignore' else [])) %}
{% endmacro %}


{# The CTEs in which ephemeral models are read, if any is. #}
{% macro _ctes_of_model(node, windows, sql) %}
  {% for window in windows if (window.relation or '').startswith('__dbt__cte__') %}
    {% do return(dbt_kinds.written_ctes(node) if sql is none else dbt_kinds.ctes_of(sql)) %}
  {% endfor %}
  {% do return({}) %}
{% endmacro %}


{# `{key, column, value, bounds, facts}` of the table behind a window_of call, only the key if it is left out, none if
   there is no such table yet; `{problem}` if changes cannot be detected without reading the data. #}
{% macro _watched_source(options, window, ctes, left_out) %}
  {% set behind = dbt_kinds.table_behind(window, ctes) %}
  {% set instead = '; write lookback as a number of units instead' %}
  {% if behind.problem is defined %}
    {% do return({'problem': behind.problem
      ~ '; read the table behind it through window_of, or write lookback as a number of units'}) %}
  {% elif behind.relation in left_out + [none] %}
    {% do return({'key': behind.relation, 'column': behind.column, 'value': behind.value}) %}
  {% endif %}
  {% set facts, name = dbt_kinds.source_facts(behind.relation), behind.relation ~ ' by ' ~ behind.column %}
  {% set column = dbt_kinds.find_column(facts.columns, behind.column) %}
  {% if column is none %}
    {% do return({'problem': 'lookback: auto reads ' ~ name ~ ', which is not a column of it; it has '
      ~ facts.columns | map(attribute='name') | join(', ')}) %}
  {% endif %}
  {% set is_text = modules.re.split('[(<]', column.type)[0] | lower in ['string', 'varchar', 'char'] %}
  {% set type = column.type if behind.value == '{}' else 'date' if behind.value.endswith('as date)') else 'timestamp' %}
  {% if dbt_kinds.supports_snapshots(facts.file_format) and is_text %}
    {% do return({'problem': 'lookback: auto reads ' ~ name
      ~ ', a column of text, whose bounds may be cut short; use a date or a timestamp' ~ instead}) %}
  {% elif facts.file_format == 'delta' and 'delta.enableChangeDataFeed=true' not in facts.properties | string %}
    {% do return({'problem': 'lookback: auto cannot ask ' ~ behind.relation
      ~ ', a Delta table without a change data feed, what changed; turn it on with alter table ' ~ behind.relation
      ~ ' set tblproperties (delta.enableChangeDataFeed = true), or write lookback as a number of units'}) %}
  {% elif dbt_kinds.supports_snapshots(facts.file_format) %}
    {# it tells #}
  {% elif facts.file_format not in ['parquet', 'orc', 'text', 'csv', 'json', 'avro'] %}
    {% do return({'problem': 'lookback: auto cannot ask ' ~ behind.relation ~ ', a table of ' ~ facts.file_format
      ~ ', what changed' ~ instead}) %}
  {% elif dbt_kinds.quoted(column.name) | lower not in dbt_kinds.quoted_names(facts.partitioning) | map('lower') %}
    {% do return({'problem': 'lookback: auto reads ' ~ name ~ ', which the table of ' ~ facts.file_format
      ~ ' is not partitioned by'
      ~ (' (but by ' ~ facts.partitioning | join(', ') ~ ')' if facts.partitioning else '')
      ~ ', so that only its data tell what changed; name the column of its partitions' ~ instead}) %}
  {% endif %}
  {% set bounds = dbt_kinds.column_values(options.model, column.name, type, window.get('format')) %}
  {% do return({'key': behind.relation, 'column': column.name, 'value': behind.value, 'bounds': bounds,
    'facts': facts}) %}
{% endmacro %}


{# A query with its own filters does not show which source is read by which column. The advice is what the next run
   accepts. #}
{% macro _check_reads_windows(node, options, windows, parents, sql) %}
  {% if windows %}
    {% do return(none) %}
  {% endif %}
  {% set wish = options.time_column.column if options.time_column else 'day' %}
  {% set message = 'lookback: auto checks the relations that the query reads through window_of, and the query has no window_of; ' %}
  {% set left_out, problems = dbt_kinds.unwatched_relations(options, parents), [] %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.sources or unique_id in graph.nodes %}
    {% set read = graph.sources.get(unique_id) or graph.nodes[unique_id] %}
    {% set window = {'relation': dbt_kinds.written_name(read), 'column': wish} %}
    {% set source = {} if window.relation in left_out
      else dbt_kinds._watched_source(options, window, dbt_kinds._ctes_of_model(node, [window], sql), left_out) %}
    {% if source.problem is not defined %}
      {% do dbt_kinds.fail(options.model,
        message ~ 'write: from {{ dbt_kinds.window_of('
          ~ ("source('" ~ read.source_name ~ "', '" ~ read.name ~ "')" if read.resource_type == 'source'
          else "ref('" ~ read.name ~ "')")
        ~ ", '" ~ wish ~ "') }} as …") %}
    {% endif %}
    {% do problems.append(source.problem) %}
  {% endfor %}
  {% do dbt_kinds.fail(options.model,
    message ~ ('it could not be used here: ' ~ problems[0] if problems
      else "write: from {{ dbt_kinds.window_of(source('…', '…'), '" ~ wish ~ "') }} as …")) %}
{% endmacro %}


{# The sources of a query that is not compiled, as far as known: the relations of names in ref(). #}
{% macro _written_windows(node) %}
  {% set names, found, ctes = {}, [], dbt_kinds.written_ctes(node) %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes %}
    {% set name = dbt_kinds.written_name(graph.nodes[unique_id]) %}
    {% do names.update({graph.nodes[unique_id].name: name}) if not name.startswith('__dbt__cte__') or name in ctes %}
  {% endfor %}
  {% for window in dbt_kinds.written_source_windows(node)
      if window.column is defined and (window.is_source or window.relation in names) %}
    {% do found.append(window if window.is_source else dict(window, relation=names[window.relation])) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{% macro _tables_of_kinds() %}
  {% set tables = [] %}
  {% for node in graph.nodes.values()
      if node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% do tables.append(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
  {% endfor %}
  {% do return(tables) %}
{% endmacro %}
