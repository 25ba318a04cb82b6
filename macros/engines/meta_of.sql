{# The meta of a model, from the graph where it is there: the `model` of dbt 2.0 lacks what is null in it. Nothing where there is none. #}
{% macro meta_of(node) %}
  {% set in_graph = (graph.nodes or {}).get(node.unique_id) or node %}
  {% do return(in_graph.config.meta or {}) %}
{% endmacro %}
