{#
  The upstream models whose later loads make this one reprocess, as upstream_changes takes them: `[{name, loads, margins}]`. A view
  or an ephemeral model in between is looked through. `sql` is the compiled query, none where it is not known: then calls of
  window_of are found in the model's source, if their arguments are plain texts.
#}
{% macro followed_parents(node, options, sql) %}
  {% if options.on_upstream_change == 'ignore' or dbt_kinds.appends_rows(options) or dbt_kinds.keeps_history(options) %}
    {% do return([]) %}
  {% endif %}
  {% set windows = dbt_kinds.source_windows(sql) if sql is not none else dbt_kinds._written_source_windows(node) %}
  {% set parents = {} %}
  {% for upstream in dbt_kinds._upstream_models(node, windows) if dbt_kinds._is_followed(options, upstream.node) %}
    {% set relation = dbt_kinds.relation_key(upstream.node.database, upstream.node.schema, upstream.node.alias) %}
    {% set parent = parents.setdefault(upstream.node.unique_id, {
      'name': upstream.node.name, 'loads': dbt_kinds.loads_of(relation), 'margins': dbt_kinds._windows_on(windows, upstream.node),
    }) %}
    {% do parent.margins.extend(upstream.margins) %}
  {% endfor %}
  {% do return(parents.values() | list) %}
{% endmacro %}


{# `{node, margins}` of every model that a model reads, directly or through views and ephemeral models. #}
{% macro _upstream_models(node, windows, margins=[]) %}
  {% set found = [] %}
  {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes %}
    {% set upstream = graph.nodes[unique_id] %}
    {% if upstream.config.materialized in ['view', 'ephemeral'] %}
      {% do found.extend(dbt_kinds._upstream_models(upstream, windows, margins + dbt_kinds._windows_on(windows, upstream))) %}
    {% elif upstream.resource_type == 'model' %}
      {% do found.append({'node': upstream, 'margins': margins}) %}
    {% endif %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# Asked for, any kind that records intervals; unasked, a time range under a time range, if their units fit into each other. #}
{% macro _is_followed(options, parent) %}
  {% if parent.config.materialized not in dbt_kinds.kinds() %}
    {% do return(false) %}
  {% elif options.on_upstream_change == 'reprocess' %}
    {% do return(true) %}
  {% endif %}
  {% do return(
    options.kind == 'incremental_by_time_range' and parent.config.materialized == 'incremental_by_time_range'
    and dbt_kinds.units_nest(options.unit, dbt_kinds.options_of(parent).unit)
  ) %}
{% endmacro %}


{% macro _windows_on(windows, upstream) %}
  {% set relation = dbt_kinds.relation_key(upstream.database, upstream.schema, upstream.alias) %}
  {% set found = [] %}
  {% for window in windows if window.relation == relation or window.relation == upstream.name %}
    {% do found.append(window) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}


{# What the calls of window_of in a model's source say, as far as it can be read without running them; `relation` is the name in ref(). #}
{% macro _written_source_windows(node) %}
  {% set found = [] %}
  {% for reference, arguments in modules.re.findall('window_of\s*\(\s*ref\s*\(([^)]*)\)\s*,([^)]*)\)', node.raw_code) %}
    {% set window = {'relation': modules.re.findall('[\'"]([^\'"]*)[\'"]', reference)[-1], 'before': 'PT0S', 'after': 'PT0S', 'unit': 'day', 'week_start': 'monday'} %}
    {% set positional = ['column', 'before', 'after', 'unit', 'week_start'] %}
    {% for argument in arguments.split(',') %}
      {% set written = dbt_kinds.full_match('\s*(?:(\w+)\s*=\s*)?[\'"]([^\'"]*)[\'"]\s*', argument) %}
      {% do window.update({written.group(1) or positional[loop.index0]: written.group(2)}) if written is not none %}
    {% endfor %}
    {% if dbt_kinds.read_duration(window.before) is not none and dbt_kinds.read_duration(window.after) is not none %}
      {% do found.append(window) %}
    {% endif %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}
