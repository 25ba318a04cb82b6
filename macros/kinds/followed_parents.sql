{#
  The upstream models whose later loads make this one reprocess, as upstream_changes takes them:
  `[{name, loads, margins}]`.
  Views and ephemeral models in between are looked through, and a deferred model's table is that of the other target.
  `sql` is the compiled query, none if unknown: then window_of calls are read from the model's source, if their
  arguments are string literals. `has_loads` is whether the model has loads to compare theirs with; without them, which
  may have to be asked for under --defer, `loads` are empty.
#}
{% macro followed_parents(node, options, sql, has_loads=true) %}
  {% set known = [] %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes %}{% do known.append(unique_id) %}{% endfor %}
  {% if not known or options.on_upstream_change == 'ignore' or options.traits.appends_rows
      or options.traits.has_merge_timeline %}
    {% do return([]) %}
  {% endif %}
  {% set windows = dbt_kinds.source_windows(sql) if sql is not none else dbt_kinds.written_source_windows(node) %}
  {% set parents = {} %}
  {% for upstream in dbt_kinds._upstream_models(node, windows) if dbt_kinds._is_followed(options, upstream.node) %}
    {% set deferred = dbt_kinds.deferred_relation(upstream.node, sql) %}
    {% set read = upstream.node if deferred is none else deferred %}
    {% set relation = dbt_kinds.relation_key(read.database, read.schema, read.alias) %}
    {% set parent = parents.setdefault(upstream.node.unique_id, {
      'name': upstream.node.name, 'relation': relation,
      'loads': [] if not has_loads else dbt_kinds.followed_loads_of(relation if deferred is none
        else dbt_kinds.log_of_deferred(deferred)),
      'margins': dbt_kinds._windows_on(windows, upstream.node),
    }) %}
    {% do parent.margins.extend(upstream.margins) %}
  {% endfor %}
  {% do return(parents.values() | list) %}
{% endmacro %}


{#
  The parents that must hold the range a unit reads before the unit is loaded, as gates of waiting_units: the time-range
  models upstream, unless on_upstream_change is ignore. `sql` as above.
#}
{% macro awaited_parents(node, options, sql) %}
  {% if options.on_missing_upstream != 'wait' or options.on_upstream_change == 'ignore' %}
    {% do return([]) %}
  {% endif %}
  {% set windows = dbt_kinds.source_windows(sql) if sql is not none else dbt_kinds.written_source_windows(node) %}
  {% set gates = {} %}
  {% for upstream in dbt_kinds._upstream_models(node, windows) if dbt_kinds.traits_of(upstream.node).filters_by_time %}
    {% set parent = dbt_kinds.options_of(upstream.node) %}
    {% set deferred = dbt_kinds.deferred_relation(upstream.node, sql) %}
    {% set recorded = dbt_kinds.recorded_coverage(upstream.node) if deferred is none
      else dbt_kinds.coverage(dbt_kinds.log_of_deferred(deferred)) %}
    {% set first = parent.start or (recorded[0][0] if recorded else none) %}
    {% set gate = gates.setdefault(upstream.node.unique_id, {
      'name': upstream.node.name, 'recorded': recorded,
      'first': dbt_kinds.floor_to_unit(first, parent.unit) if first is not none else none,
      'last': parent.end, 'margins': dbt_kinds._windows_on(windows, upstream.node),
    }) %}
    {% do gate.margins.extend(upstream.margins) %}
  {% endfor %}
  {% do return(gates.values() | sort(attribute='name')) %}
{% endmacro %}


{# `{node, margins}` of every model that a model reads, directly or through views and ephemeral models. #}
{% macro _upstream_models(node, windows, margins=[]) %}
  {% set found = [] %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes %}
    {% set upstream = graph.nodes[unique_id] %}
    {% if upstream.config.materialized in ['view', 'ephemeral'] %}
      {% do found.extend(dbt_kinds._upstream_models(upstream, windows,
        margins + dbt_kinds._windows_on(windows, upstream))) %}
    {% elif upstream.resource_type == 'model' %}
      {% do found.append({'node': upstream, 'margins': margins}) %}
    {% endif %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# With reprocess, any kind that records intervals; by default, a time-range model upstream of a time-range model, if
   their units nest. #}
{% macro _is_followed(options, parent) %}
  {% if parent.config.materialized not in dbt_kinds.kinds() %}
    {% do return(false) %}
  {% elif options.on_upstream_change == 'reprocess' %}
    {% do return(true) %}
  {% endif %}
  {% do return(
    options.traits.filters_by_time and dbt_kinds.traits_of(parent).filters_by_time
    and dbt_kinds.units_nest(options.unit, dbt_kinds.options_of(parent).unit)
  ) %}
{% endmacro %}


{% macro _windows_on(windows, upstream) %}
  {% set names = [dbt_kinds.relation_key(upstream.database, upstream.schema, upstream.alias), upstream.name,
    ('__dbt__cte__' ~ upstream.alias) | lower] %}
  {% set deferred = upstream.get('defer_relation') %}
  {% do names.append(dbt_kinds.relation_key(deferred.database, deferred.schema, deferred.alias)) if deferred %}
  {% set found = [] %}
  {% for window in windows if window.relation in names %}
    {% do found.append(window) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{#
  The window_of calls in a model's source, as far as they can be read without running them; `relation` is the name in
  ref(), or a source's table.
#}
{% macro written_source_windows(node) %}
  {% set found = [] %}
  {% for function, reference, arguments
      in modules.re.findall('window_of\s*\(\s*(ref|source)\s*\(([^)]*)\)\s*,([^)]*)\)', node.raw_code) %}
    {% set names = modules.re.findall('[\'"]([^\'"]*)[\'"]', reference) %}
    {% set window = {
      'relation': names[-1] if function == 'ref' else dbt_kinds._table_of_source(node, names), 'before': 'PT0S',
      'after': 'PT0S', 'unit': 'day', 'week_start': 'monday',
      'is_source': function == 'source',
    } %}
    {% set positional = ['column', 'before', 'after', 'unit', 'week_start'] %}
    {% for argument in arguments.split(',') %}
      {% set written = dbt_kinds.full_match('\s*(?:(\w+)\s*=\s*)?[\'"]([^\'"]*)[\'"]\s*', argument) %}
      {% do window.update({written.group(1) or positional[loop.index0]: written.group(2)}) if written is not none %}
    {% endfor %}
    {% if window.relation and dbt_kinds.read_duration(window.before) is not none
        and dbt_kinds.read_duration(window.after) is not none %}
      {% do found.append(window) %}
    {% endif %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{% macro _table_of_source(node, names) %}
  {% for unique_id in node.depends_on.nodes if unique_id in (graph.sources or {}) %}
    {% set source = graph.sources[unique_id] %}
    {% if [source.source_name, source.name] == names %}
      {% do return(dbt_kinds.relation_key(dbt_kinds.named_database(source.database), source.schema,
        source.identifier)) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}
