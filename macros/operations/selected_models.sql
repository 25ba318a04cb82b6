{#
  The nodes of this project's kinds that an operation's argument selects: names separated by spaces, also
  `package.model`;
  empty selects all of them.
#}
{% macro selected_models(select) %}
  {% set wanted = (select or '').split() | unique | list %}
  {% set found, missing = [], wanted | list %}
  {% for node in graph.nodes.values()
      if node.resource_type == 'model' and node.config.materialized in dbt_kinds.kinds() %}
    {% set names = [node.name, node.package_name ~ '.' ~ node.name] %}
    {% if not wanted or names | select('in', wanted) | list %}
      {% do found.append(node) %}
      {% for name in names if name in missing %}{% do missing.remove(name) %}{% endfor %}
    {% endif %}
  {% endfor %}
  {% if missing %}
    {% do exceptions.raise_compiler_error('dbt_kinds: no model of a kind is called ' ~ missing | join(', ')
      ~ '; select takes model names separated by '
      ~ 'spaces') %}
  {% endif %}
  {% do return(found | sort(attribute='unique_id')) %}
{% endmacro %}


{# The one node that an operation's argument selects. #}
{% macro the_selected_model(select) %}
  {% set found = dbt_kinds.selected_models(select) %}
  {% if not select or found | length != 1 %}
    {% do exceptions.raise_compiler_error("dbt_kinds: select '" ~ (select or '') ~ "' has to name one model") %}
  {% endif %}
  {% do return(found[0]) %}
{% endmacro %}


{# For operations that change records: an empty selection must not select everything. #}
{% macro named_models(operation, select) %}
  {% if not select %}
    {% do exceptions.raise_compiler_error('dbt_kinds: ' ~ operation
      ~ ' needs select, the names of models separated by spaces') %}
  {% endif %}
  {% do return(dbt_kinds.selected_models(select)) %}
{% endmacro %}


{# Nodes in an order in which dbt could run them. #}
{% macro parents_first(nodes) %}
  {% set ordered = [] %}
  {% set waiting = {} %}
  {% for node in nodes %}
    {% do waiting.update({node.unique_id: node}) %}
  {% endfor %}
  {% set seen = {} %}
  {% for node in nodes %}
    {% do dbt_kinds._visit(node, waiting, seen, ordered) %}
  {% endfor %}
  {% do return(ordered) %}
{% endmacro %}


{% macro _visit(node, waiting, seen, ordered) %}
  {% if node.unique_id not in seen %}
    {% do seen.update({node.unique_id: true}) %}
    {% for unique_id in node.depends_on.nodes if unique_id in graph.nodes %}
      {% do dbt_kinds._visit(graph.nodes[unique_id], waiting, seen, ordered) %}
    {% endfor %}
    {% do ordered.append(node) if node.unique_id in waiting %}
  {% endif %}
{% endmacro %}
