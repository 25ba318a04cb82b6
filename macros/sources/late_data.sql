{#
  lookback: auto: the changes in a model's sources since it read them, `{sources, late}`. `sources` is what its next loads record about their sources, see
  note_of_source; `late` is what late_units takes. Relations that the model follows as parents are left out, because propagation is more precise.
#}
{% macro late_data(node, options, loads, settings, sql, parents) %}
  {% set sources, late = {}, [] %}
  {% if options.late_data is none or not settings.get('asks_sources', true) %}
    {% do return({'sources': [], 'late': []}) %}
  {% endif %}
  {% set windows = dbt_kinds.source_windows(sql) if sql is not none else dbt_kinds._written_windows(node) %}
  {% do dbt_kinds._check_reads_windows(node, options, windows) if sql is not none %}
  {% set asks = loads != [] and settings.start is none and not settings.full_refresh %}
  {% set noted = dbt_kinds.noted_sources(options.relation) if asks else [] %}
  {% for source in dbt_kinds._watched_sources(node, options, windows, parents) %}
    {% set found = dbt_kinds._late_in_files(options, loads if asks else [], noted, source) if source.facts.file_format != 'iceberg'
      else dbt_kinds._late_in_snapshots(options, loads if asks else [], noted, source) %}
    {% do late.append({'relation': source.key, 'hits': found.hits, 'lost': found.lost}) if found.hits or found.lost %}
    {% if asks and source.hashes is none %}
      {% set units = found.lost | list %}
      {% for hit in found.hits %}{% do units.extend(hit.units) %}{% endfor %}
      {% set before = sources[source.name].stale if source.name in sources else [] %}
      {% set stale = dbt_kinds.merge_intervals(before + dbt_kinds.as_instants(dbt_kinds.merge_intervals(units), options.unit, '9999')) %}
    {% endif %}
    {% do sources.update({source.name: dict(source, stale=stale if asks and source.hashes is none else none, facts=none)}) %}
  {% endfor %}
  {% do return({'sources': sources.values() | list, 'late': late}) %}
{% endmacro %}


{# For an Iceberg table: the bounds of the files that its snapshots added and removed. #}
{% macro _late_in_snapshots(options, loads, noted, source) %}
  {% set history = dbt_kinds.snapshot_history(source.facts) %}
  {% do source.update({'name': source.key, 'snapshot': history.head, 'hashes': none}) %}
  {% set pieces = dbt_kinds.pieces_of_history(loads, noted, source.name, history) %}
  {% set known = pieces | map(attribute='since') | reject('none') | list %}
  {% set changes = [] %}
  {% if known and known | min < history.snapshots | length %}
    {% for change in dbt_kinds.changed_files(options.model, source.facts, source.column, source.bounds, known | min) %}
      {% do changes.append(dict(change, end=dbt_kinds._behind_value(change.last, source.bounds))) %}
    {% endfor %}
  {% endif %}
  {% do return(dbt_kinds.late_hits(pieces, changes | sort(attribute='first'), source.margins, options.unit)) %}
{% endmacro %}


{# For a Parquet or ORC table: its partitions. #}
{% macro _late_in_files(options, loads, noted, source) %}
  {% do source.update({'name': source.key ~ '/' ~ source.column, 'snapshot': none, 'hashes': dbt_kinds.partition_hashes(source.facts, source.column, source.bounds)}) %}
  {% set hits, lost = [], [] %}
  {% for piece in dbt_kinds.pieces_of_partitions(loads, noted, source) %}
    {% set changes = [] %}
    {% for instant in piece.changed %}
      {% do changes.append({'position': 1, 'first': instant, 'last': instant, 'end': dbt_kinds._behind_value(instant, source.bounds)}) %}
    {% endfor %}
    {% set found = dbt_kinds.late_hits([piece], changes, source.margins, options.unit) if changes or piece.since is none else {'hits': [], 'lost': []} %}
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
  {% do return((modules.datetime.datetime.fromisoformat(instant) + modules.datetime.timedelta(seconds=1)).isoformat()) %}
{% endmacro %}


{# The relations that the query reads through window_of, by relation and column: `{key, column, bounds, margins, facts}`. #}
{% macro _watched_sources(node, options, windows, parents) %}
  {% set left_out = dbt_kinds.unwatched_relations(options, parents) %}
  {% set found = {} %}
  {% for window in windows if not window.relation %}
    {% do dbt_kinds.fail(options.model, 'lookback: auto needs window_of(source(…), …) or window_of(ref(…), …), and the query passes a string to window_of') %}
  {% endfor %}
  {% for window in windows if window.relation not in left_out %}
    {% set place = window.relation ~ ' ' ~ window.column | lower %}
    {% if place not in found %}
      {% set facts = dbt_kinds.source_facts(window.relation) %}
      {% do found.update({place: dict(dbt_kinds._watched_column(options, facts, window), key=window.relation, facts=facts, margins=[])}) %}
    {% endif %}
    {% do found[place].margins.append(window) %}
  {% endfor %}
  {% do return(found.values() | list) %}
{% endmacro %}


{# The relations that are never asked what changed: the model's own, the parents that it follows, and with on_upstream_change: ignore all tables of kinds. #}
{% macro unwatched_relations(options, parents) %}
  {% do return([options.relation] + parents | map(attribute='relation') | list + (dbt_kinds._tables_of_kinds() if options.on_upstream_change == 'ignore' else [])) %}
{% endmacro %}


{# `{column, bounds}`; raises if changes cannot be detected without reading the data. #}
{% macro _watched_column(options, facts, window) %}
  {% set model, name = options.model, window.relation ~ ' by ' ~ window.column %}
  {% set instead = '; write lookback as a number of units instead' %}
  {% set column = dbt_kinds.find_column(facts.columns, window.column) %}
  {% if facts.is_view %}
    {% do dbt_kinds.fail(model, 'lookback: auto cannot tell what changed in ' ~ window.relation ~ ', which is a view; read the table behind it through window_of, or write lookback as a number of units') %}
  {% elif column is none %}
    {% do dbt_kinds.fail(model, 'lookback: auto reads ' ~ name ~ ', which is not a column of it; it has ' ~ facts.columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set values = dbt_kinds.column_values(model, column.name, column.type, window.get('format')) %}
  {% if facts.file_format == 'iceberg' %}
    {% if values.write == 'string' %}
      {% do dbt_kinds.fail(model, 'lookback: auto reads ' ~ name ~ ', a column of text, whose bounds Iceberg may cut short; use a date or a timestamp' ~ instead) %}
    {% endif %}
  {% elif facts.file_format == 'delta' %}
    {% do dbt_kinds.fail(model, 'lookback: auto cannot ask ' ~ window.relation ~ ', a Delta table, which files changed: only its change data feed, on Databricks, tells' ~ instead) %}
  {% elif facts.file_format not in ['parquet', 'orc', 'text', 'csv', 'json', 'avro'] %}
    {% do dbt_kinds.fail(model, 'lookback: auto cannot ask ' ~ window.relation ~ ', a table of ' ~ facts.file_format ~ ', what changed' ~ instead) %}
  {% elif dbt_kinds.quoted(column.name) | lower not in dbt_kinds.quoted_names(facts.partitioning) | map('lower') %}
    {% do dbt_kinds.fail(model, 'lookback: auto reads ' ~ name ~ ', which the table of ' ~ facts.file_format ~ ' is not partitioned by'
      ~ (' (but by ' ~ facts.partitioning | join(', ') ~ ')' if facts.partitioning else '') ~ ', so that only its data tell what changed; name the column of its partitions'  ~ instead) %}
  {% endif %}
  {% do return({'column': column.name, 'bounds': values}) %}
{% endmacro %}


{# A query with its own filters does not show which source is read by which column. #}
{% macro _check_reads_windows(node, options, windows) %}
  {% if not windows %}
    {% set known = [] %}
    {% for unique_id in node.depends_on.nodes %}
      {% set read = graph.sources.get(unique_id) or graph.nodes.get(unique_id) %}
      {% do known.append("source('" ~ read.source_name ~ "', '" ~ read.name ~ "')" if read.resource_type == 'source' else "ref('" ~ read.name ~ "')") if read %}
    {% endfor %}
    {% set column = options.time_column.column if options.time_column else 'day' %}
    {% do dbt_kinds.fail(options.model, 'lookback: auto checks the relations that the query reads through window_of, and the query has no window_of; write: from {{ dbt_kinds.window_of('
      ~ (known[0] or "source('…', '…')") ~ ", '" ~ column ~ "') }} as …") %}
  {% endif %}
{% endmacro %}


{# The sources of a query that is not compiled, as far as known: the tables of names in ref(), without views. #}
{% macro _written_windows(node) %}
  {% set tables, found = {}, [] %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes and graph.nodes[unique_id].config.materialized not in ['view', 'ephemeral'] %}
    {% set read = graph.nodes[unique_id] %}
    {% do tables.update({read.name: dbt_kinds.relation_key(dbt_kinds.named_database(read.database), read.schema, read.alias)}) %}
  {% endfor %}
  {% for window in dbt_kinds.written_source_windows(node) if window.column is defined and (window.is_source or window.relation in tables) %}
    {% do found.append(window if window.is_source else dict(window, relation=tables[window.relation])) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{% macro _tables_of_kinds() %}
  {% set tables = [] %}
  {% for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% do tables.append(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
  {% endfor %}
  {% do return(tables) %}
{% endmacro %}
