{#
  What one dbt invocation remembers under a name, a mapping that begins empty; each name belongs to one file. dbt's
  graph is one dict that all nodes share and may write to (measured on 1.10 and 1.11). If it is not shared, each model
  starts with nothing and reads the store itself. A program that passes its manifest to the next invocation passes the
  graph along, too; hence the invocation id in the key.
#}
{% macro run_memory(name) %}
  {% do return(graph.setdefault('dbt_kinds ' ~ invocation_id, {}).setdefault(name, {})) %}
{% endmacro %}
