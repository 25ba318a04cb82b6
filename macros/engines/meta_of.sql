{# The meta of a model, from the graph if it is in it: the `model` of dbt 2.0 lacks keys that are null. Empty if there
   is none. #}
{% macro meta_of(node) %}
  {% set in_graph = (graph.nodes or {}).get(node.unique_id) or node %}
  {% do return(in_graph.config.meta or {}) %}
{% endmacro %}
