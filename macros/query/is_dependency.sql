{# Whether ref() or source() of some names is a dependency of a node. #}
{% macro is_dependency(node, function, names) %}
  {% for unique_id in node.depends_on.nodes %}
    {% set known = graph.sources.get(unique_id) if function == 'source' else graph.nodes.get(unique_id) %}
    {% if known and known.name == names[-1]
        and (names | length == 1 or names[0] in [known.get('source_name'), known.package_name]) %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
