{#
  The version of every table that a model reads, directly or through views and ephemeral models, by name, in the order
  in which the model names them:
  a string that stays equal while nothing has changed, none if unknown. A view's version is its SQL and the versions of
  what it reads. `nodes` is what tables_read returns. Asks Spark.
#}
{% macro table_versions(node, nodes, sql) %}
  {% set versions = {} %}
  {% for name, read in nodes.items() %}
    {% set kind = read.config.materialized if read.resource_type == 'model' else none %}
    {% do versions.update({name: 'view ' ~ read.checksum.checksum if kind == 'view' else dbt_kinds.table_version(read)})
      if kind != 'ephemeral' %}
  {% endfor %}
  {% for name in dbt_kinds.unknown_tables(sql, dbt_kinds.read_relations(node, nodes)) %}
    {% do versions.update({name: none}) %}
  {% endfor %}
  {% do return(versions) %}
{% endmacro %}


{# The name of a table in the reasons of a run. #}
{% macro table_name(node) %}
  {% do return(node.schema ~ '.' ~ (node.get('identifier') or node.alias)) %}
{% endmacro %}


{#
  The version of one table: the snapshot of its main branch on Iceberg, the version and its moment on Delta, the last
  load or invalidation for other tables of our kinds; an adoption changes no rows. none for anything else, such as a
  source of files or a missing table.
#}
{% macro table_version(node) %}
  {% set relation = dbt_kinds.relation_of_node(node) %}
  {% if dbt_kinds.relation_type(relation) != 'table' %}
    {% do return(none) %}
  {% endif %}
  {% set file_format = dbt_kinds.describe_table(relation).file_format %}
  {% if file_format == 'delta' %}
    {% do return('delta ' ~ dbt_kinds.noted_version(dbt_kinds.delta_history(relation, limit=1)[0])) %}
  {% elif dbt_kinds.supports_snapshots(file_format) %}
    {% do return(file_format ~ ' ' ~ dbt_kinds.current_snapshot(relation, file_format)) %}
  {% elif node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% set events = dbt_kinds.events_of(dbt_kinds.relation_key(node.database, node.schema, node.alias)) %}
    {% set moments = events | rejectattr('source', 'eq', 'adopt') | map(attribute='recorded_at') | list %}
    {% do return('recorded ' ~ (moments | max if moments else 'never') if events else none) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The relation of a model or source, as named in statements. #}
{% macro relation_of_node(node) %}
  {% do return(api.Relation.create(
    database=dbt_kinds.named_database(node.get('database')), schema=node.schema,
    identifier=node.get('identifier') or node.alias
  )) %}
{% endmacro %}


{# Whether a table holds the same rows at two versions, because only compactions lie between them. Asks Spark if the
   versions differ. #}
{% macro is_same_version(node, then, now) %}
  {% set before, after = (then or '').split(' '), now.split(' ') %}
  {% if then == now or before[0] not in ['iceberg', 'delta'] or before[0] != after[0] or before[1] == 'None' %}
    {% do return(then == now) %}
  {% endif %}
  {% set snapshots = dbt_kinds.snapshots_of(dbt_kinds.relation_of_node(node), after[0]) %}
  {% do return(not dbt_kinds.is_of_another_table(before[1:], snapshots)
    and dbt_kinds.are_compactions(dbt_kinds.snapshots_between(snapshots, before[1] | int, after[1] | int))) %}
{% endmacro %}


{# Whether snapshots_between returned only compactions. Pure. #}
{% macro are_compactions(snapshots) %}
  {% do return(snapshots is not none and snapshots | rejectattr('operation', 'eq', 'replace') | list == []) %}
{% endmacro %}


{#
  The models and sources that a model reads, directly or through views and ephemeral models, by name. Under --defer a
  model that the query reads from another target has that target's relation, and so has everything below it. `sql` is
  the compiled query, none if unknown.
#}
{% macro tables_read(node, sql, is_deferred=false) %}
  {% set nodes = {} %}
  {% for unique_id in node.depends_on.nodes %}
    {% set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) %}
    {% if parent %}
      {% set deferred = parent.get('defer_relation') if is_deferred else dbt_kinds.deferred_relation(parent, sql) %}
      {% set read = dict(parent, database=deferred.database, schema=deferred.schema, alias=deferred.alias) if deferred
        else parent %}
      {% do nodes.update({dbt_kinds.table_name(read): read}) %}
      {% if parent.resource_type == 'model' and parent.config.materialized in ['view', 'ephemeral'] %}
        {# an ephemeral model is part of the query; the query of a view is not known here #}
        {% do nodes.update(dbt_kinds.tables_read(parent, sql if parent.config.materialized == 'ephemeral' else none,
          is_deferred or deferred is not none)) %}
      {% endif %}
    {% endif %}
  {% endfor %}
  {% do return(nodes) %}
{% endmacro %}


{# Their names in SQL, lower case and unquoted, including the model's own. #}
{% macro read_relations(node, nodes) %}
  {% set names = [dbt_kinds.relation_of_node(node) | string] %}
  {% for parent in nodes.values() %}
    {% do names.append(dbt_kinds.relation_of_node(parent) | string) %}
  {% endfor %}
  {% set plain = [] %}
  {% for name in names %}
    {% do plain.append(name | replace('`', '') | lower) %}
  {% endfor %}
  {% do return(plain) %}
{% endmacro %}
