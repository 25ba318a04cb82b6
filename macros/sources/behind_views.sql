{#
  What window_of reads behind views and ephemeral models: `{relation, column, value}`, the key of a table, its column,
  and the SQL expression, with `{}` for that column, whose values the window bounds; else `{problem}`. The relation is
  none if something on the way is not there yet. `ctes` are those of the model's query, as ctes_of returns them.
#}
{% macro table_behind(window, ctes={}) %}
  {% set at = namespace(relation=window.relation, column=window.column, value='{}') %}
  {% for level in range(20) %}
    {% set is_ephemeral = at.relation.startswith('__dbt__cte__') %}
    {% set facts = none if is_ephemeral else dbt_kinds.source_facts(at.relation) %}
    {% if not is_ephemeral and facts is none %}
      {% do return({'relation': none, 'column': at.column, 'value': at.value}) %}
    {% elif not is_ephemeral and not facts.is_view %}
      {% do return({'relation': at.relation, 'column': at.column, 'value': at.value}) %}
    {% elif not is_ephemeral and not facts.view.text %}
      {% do return({'problem': dbt_kinds._cannot_look_through(at.relation, 'whose SQL Spark does not show')}) %}
    {% endif %}
    {% set sql = 'select * from ' ~ at.relation if is_ephemeral else facts.view.text %}
    {% set traced = dbt_kinds.traced_column(sql,
      at.column if is_ephemeral else dbt_kinds._column_in_view(facts, at.column), ctes if is_ephemeral else {}) %}
    {% if traced.problem is defined %}
      {% do return({'problem': dbt_kinds._cannot_look_through(at.relation, traced.problem)}) %}
    {% endif %}
    {% set at.relation = dbt_kinds._key_of_name(traced.relation, facts.view.namespace if facts is not none else none) %}
    {% set at.column = traced.column %}
    {% set at.value = at.value | replace('{}', traced.value) %}
  {% endfor %}
  {% do return({'problem': dbt_kinds._cannot_look_through(window.relation,
    'which has more than 20 views behind it')}) %}
{% endmacro %}


{# The same words in a run, in a plan and at adoption. #}
{% macro _cannot_look_through(relation, problem) %}
  {% set is_ephemeral = relation.startswith('__dbt__cte__') %}
  {% do return('lookback: auto cannot look through '
    ~ ('the ephemeral model ' ~ relation[12:] if is_ephemeral else 'the view ' ~ relation) ~ ', ' ~ problem
    ~ ': it looks through selects of one table without joins, groups and windows, in which the column is taken as it is, cast to a date or a timestamp, or truncated') %}
{% endmacro %}


{# A view may have been created with names of its own: the name that its query has for a column. #}
{% macro _column_in_view(facts, column) %}
  {% set names = facts.view['columns'] %}
  {% for own in facts['columns'] if names | length == facts['columns'] | length %}
    {% if own.name | lower == column | lower %}{% do return(names[loop.index0]) %}{% endif %}
  {% endfor %}
  {% do return(column) %}
{% endmacro %}


{# The key of a relation that the SQL of a view names. #}
{% macro _key_of_name(name, namespace_of_view) %}
  {% set key = (namespace_of_view ~ '.' ~ name
    if '.' not in name and namespace_of_view and not name.startswith('__dbt__cte__') else name) | lower %}
  {% do return(key[14:] if key.startswith('spark_catalog.') and dbt_kinds.named_database('spark_catalog') is none
    else key) %}
{% endmacro %}


{#
  The ephemeral models that a model reads, by the names that dbt gives their CTEs, as ctes_of returns them, from their
  source: for a query that is not compiled. Those whose source calls more than config, ref and source are left out.
#}
{% macro written_ctes(node) %}
  {% set ctes = {} %}
  {% for unique_id in (node.get('depends_on') or {}).get('nodes') or []
      if unique_id in graph.nodes and graph.nodes[unique_id].config.materialized == 'ephemeral' %}
    {% set ephemeral = graph.nodes[unique_id] %}
    {% set inner, sql = dbt_kinds.written_ctes(ephemeral), dbt_kinds.written_query(ephemeral) %}
    {% do ctes.update(inner) %}
    {% do ctes.update({('__dbt__cte__' ~ ephemeral.alias)
      | lower: {'words': dbt_kinds.lexed_words(sql), 'ctes': inner}}) if sql is not none %}
  {% endfor %}
  {% do return(ctes) %}
{% endmacro %}


{# The query of a node from its source, if that calls nothing but config, ref and source; else none. #}
{% macro written_query(node) %}
  {% set query = namespace(sql=modules.re.sub('(?s)\{#.*?#\}', '', node.raw_code)) %}
  {% set query.sql = modules.re.sub('(?s)\{\{-?\s*config\s*\(.*?\)\s*-?\}\}', '', query.sql) %}
  {% for call, function, arguments in modules.re.findall('(\{\{-?\s*(ref|source)\s*\(([^)]*)\)\s*-?\}\})', query.sql) %}
    {% set names = modules.re.findall('[\'"]([^\'"]*)[\'"]', arguments) %}
    {% for unique_id in node.depends_on.nodes if names %}
      {% set read = graph.nodes.get(unique_id) if function == 'ref' else graph.sources.get(unique_id) %}
      {% if read and read.name == names[-1] and (function == 'ref' or read.source_name == names[0]) %}
        {% set query.sql = query.sql | replace(call, dbt_kinds.written_name(read)) %}
      {% endif %}
    {% endfor %}
  {% endfor %}
  {% do return(none if '{{' in query.sql or '{%' in query.sql else query.sql) %}
{% endmacro %}


{# The key of a node that is read: of an ephemeral model, the name of its CTE. #}
{% macro written_name(read) %}
  {% if read.resource_type == 'model' and read.config.materialized == 'ephemeral' %}
    {% do return(('__dbt__cte__' ~ read.alias) | lower) %}
  {% endif %}
  {% do return(dbt_kinds.relation_key(dbt_kinds.named_database(read.database), read.schema,
    read.get('identifier') or read.alias)) %}
{% endmacro %}
