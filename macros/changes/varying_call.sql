{#
  Why a query may return other rows although nothing that it reads has changed: it calls the clock or chance, or a view
  or ephemeral model does that it reads; none otherwise. `nodes` is what tables_read returns. Asks Spark for a view
  whose SQL is made by macros.
#}
{% macro varying_call(nodes, sql) %}
  {% set call = dbt_kinds.changing_call(sql) %}
  {% if call is not none %}
    {% do return(call ~ ' differs in every run') %}
  {% endif %}
  {% for name, read in nodes.items()
      if read.resource_type == 'model' and read.config.materialized in ['view', 'ephemeral'] %}
    {% set call = dbt_kinds.changing_call(dbt_kinds.known_query(read)) %}
    {% if call is not none %}
      {% do return(call ~ ' in ' ~ name ~ ' differs in every run') %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# The same for a time variable whose value is another one than at the last load, which ended at a moment. Pure. #}
{% macro varying_variable(sql, plan, loaded_until) %}
  {% for name in modules.re.findall('/[*]kinds:((?:execution|end)_\\w+)[*]/', sql)
      if name.startswith('execution') or plan.batches[-1][1] != loaded_until %}
    {% do return(name ~ '() is another one than at the last load') %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# The SQL of a view or an ephemeral model, as far as needed to look for calls. That of an ephemeral model is also in
   what reads it. #}
{% macro known_query(node) %}
  {% set text = dbt_kinds.without_references(node.get('raw_code') or '{{') %}
  {% set reads_ephemeral = [] %}
  {% for unique_id in node.depends_on.nodes
      if unique_id in graph.nodes and graph.nodes[unique_id].config.materialized == 'ephemeral' %}
    {% do reads_ephemeral.append(unique_id) %}
  {% endfor %}
  {% if node.config.materialized == 'ephemeral' or ('{{' not in text and '{%' not in text and not reads_ephemeral) %}
    {% do return(text) %}
  {% endif %}
  {% set queries, relation = dbt_kinds.run_memory('queries'), dbt_kinds.relation_of_node(node) %}
  {% if relation | string not in queries %}
    {% set rows = run_query('describe table extended ' ~ relation).rows if dbt_kinds.relation_type(relation) == 'view'
      else [] %}
    {% for row in rows if row[0] == 'View Text' %}
      {% do queries.update({relation | string: row[1]}) %}
    {% endfor %}
  {% endif %}
  {% do return(queries.get(relation | string, text)) %}
{% endmacro %}


{# A model's source without what can make no call: Jinja's comments, its config, and the relations that it reads.
   Pure. #}
{% macro without_references(text) %}
  {% set text = modules.re.sub('(?s)[{]#.*?#[}]', ' ', text) %}
  {% do return(modules.re.sub('(?s)[{][{]-?\\s*(?:config|ref|source)\\s*[(][^{}]*[)]\\s*-?[}][}]', ' ', text)) %}
{% endmacro %}
