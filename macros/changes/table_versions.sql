{#
  The version of every table that a model reads, directly or through views and ephemeral models, by name, in the order in which the model names them:
  a string that stays equal while nothing has changed, none if unknown. A view's version is its SQL and the versions of what it reads. Asks Spark.
#}
{% macro table_versions(node, sql) %}
  {% set versions = {} %}
  {% do dbt_kinds._add_versions(node, versions) %}
  {% for name in dbt_kinds.unknown_tables(sql, dbt_kinds.read_relations(node)) %}
    {% do versions.update({name: none}) %}
  {% endfor %}
  {% do return(versions) %}
{% endmacro %}


{% macro _add_versions(node, versions) %}
  {% for unique_id in node.depends_on.nodes %}
    {% set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) %}
    {% set kind = parent.config.materialized if parent and parent.resource_type == 'model' else none %}
    {% if kind in ['view', 'ephemeral'] %}
      {% do versions.update({dbt_kinds.table_name(parent): 'view ' ~ parent.checksum.checksum}) if kind == 'view' %}
      {% do dbt_kinds._add_versions(parent, versions) %}
    {% elif parent %}
      {% do versions.update({dbt_kinds.table_name(parent): dbt_kinds.table_version(parent)}) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# The name of a table in the reasons of a run. #}
{% macro table_name(node) %}
  {% do return(node.schema ~ '.' ~ (node.get('identifier') or node.alias)) %}
{% endmacro %}


{#
  The version of one table: the snapshot of its main branch on Iceberg, the version on Delta, the last load or invalidation for other tables
  of our kinds. none for anything else, such as a source of files or a missing table.
#}
{% macro table_version(node) %}
  {% set relation = dbt_kinds.relation_of_node(node) %}
  {% if dbt_kinds.relation_type(relation) != 'table' %}
    {% do return(none) %}
  {% endif %}
  {% set file_format = dbt_kinds.describe_table(relation).file_format %}
  {% if dbt_kinds.has_commits(file_format) %}
    {% do return(file_format ~ ' ' ~ dbt_kinds.current_snapshot(relation, file_format)) %}
  {% elif node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% set moments = dbt_kinds.events_of(dbt_kinds.relation_key(node.database, node.schema, node.alias)) | map(attribute='recorded_at') | list %}
    {% do return('recorded ' ~ moments | max if moments else none) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# The relation of a model or source, as named in statements. #}
{% macro relation_of_node(node) %}
  {% do return(api.Relation.create(
    database=dbt_kinds.named_database(node.get('database')), schema=node.schema, identifier=node.get('identifier') or node.alias
  )) %}
{% endmacro %}


{# Whether a table holds the same rows at two versions, because only compactions lie between them. Asks Spark if the versions differ. #}
{% macro is_same_version(node, then, now) %}
  {% if then == now or not (then or '').startswith('iceberg ') or not now.startswith('iceberg ') or then == 'iceberg None' %}
    {% do return(then == now) %}
  {% endif %}
  {% set snapshots = dbt_kinds.iceberg_snapshots(dbt_kinds.relation_of_node(node)) %}
  {% do return(dbt_kinds.are_compactions(dbt_kinds.snapshots_between(snapshots, then[8:] | int, now[8:] | int))) %}
{% endmacro %}


{# Whether snapshots_between returned only compactions. Pure. #}
{% macro are_compactions(snapshots) %}
  {% do return(snapshots is not none and snapshots | rejectattr('operation', 'eq', 'replace') | list == []) %}
{% endmacro %}


{# The models and sources that a model reads, directly or through views and ephemeral models, by name. #}
{% macro tables_read(node) %}
  {% set nodes = {} %}
  {% for unique_id in node.depends_on.nodes %}
    {% set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) %}
    {% if parent %}
      {% do nodes.update({dbt_kinds.table_name(parent): parent}) %}
      {% do nodes.update(dbt_kinds.tables_read(parent)) if parent.resource_type == 'model' and parent.config.materialized in ['view', 'ephemeral'] %}
    {% endif %}
  {% endfor %}
  {% do return(nodes) %}
{% endmacro %}


{# Their names in SQL, lower case and unquoted, including the model's own. #}
{% macro read_relations(node) %}
  {% set names = [dbt_kinds.relation_of_node(node) | string] %}
  {% for parent in dbt_kinds.tables_read(node).values() %}
    {% do names.append(dbt_kinds.relation_of_node(parent) | string) %}
  {% endfor %}
  {% set plain = [] %}
  {% for name in names %}
    {% do plain.append(name | replace('`', '') | lower) %}
  {% endfor %}
  {% do return(plain) %}
{% endmacro %}
