{#
  What the models of a run know of each other: those that have `begun`, and those of kinds that are `left`, in the order
  in which dbt-core comes to models that wait for none: by their depth in what was selected, then by name. `unseen` are
  those of whom nobody has asked yet whether they are due; `running` those that have begun and not ended, with the names
  of their tables in the store.
#}
{% macro mark_begun(node) %}
  {% set models = dbt_kinds.models_of_run() %}
  {% do models.left.pop(node.unique_id, none) %}
  {% do models.setdefault('begun', {}).update({node.unique_id: true}) %}
  {% do models.setdefault('running', {}).update({node.unique_id:
    dbt_kinds.relation_key(node.database, node.schema, node.alias)}) %}
{% endmacro %}


{% macro models_of_run() %}
  {% set models = dbt_kinds.run_memory('models') %}
  {% if 'left' not in models %}
    {% do models.setdefault('left', dbt_kinds._selected_in_order()) %}
    {% do models.setdefault('unseen', models.left.copy()) %}
  {% endif %}
  {% do return(models) %}
{% endmacro %}


{# Whether another model of this run will begin. #}
{% macro others_will_begin() %}
  {% do return(dbt_kinds.run_memory('models').get('left', {}) | length > 0 and dbt_kinds.know_of_each_other()) %}
{% endmacro %}


{# Whether another model of this run will soon append something, which takes along what waits: one that has not begun,
   or one that holds its lease and took less than half a minute the last time. #}
{% macro others_will_append(relation) %}
  {% if dbt_kinds.others_will_begin() %}
    {% do return(true) %}
  {% endif %}
  {% set running = dbt_kinds.run_memory('models').get('running', {}).copy() if dbt_kinds.know_of_each_other() else {} %}
  {% for other in running.values() if other != relation and other in dbt_kinds.own_claims()
      and not dbt_kinds.has_record_to_send(other) %}
    {% set load = dbt_kinds.latest_load(dbt_kinds.loads_of(other)) %}
    {% if load is not none and load.get('started_at')
        and dbt_kinds.seconds_between(load.started_at, load.recorded_at) < 30 %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{% macro mark_ended(node) %}
  {% do dbt_kinds.run_memory('models').get('running', {}).pop(node.unique_id, none) %}
{% endmacro %}


{# Whether the models of this run and its end share what they remember: in dbt-core they do (measured on 1.10 and 1.11);
   in others as far as it shows. #}
{% macro know_of_each_other() %}
  {% do return(dbt_version.startswith('1.') or dbt_kinds.run_memory('models').get('begun', {}) | length > 1) %}
{% endmacro %}


{# The next models to come that are sure to have something to load, `number` of them at most. Each is offered once, and
   a call looks at no more than four times as many. #}
{% macro next_due_models(number) %}
  {% set models, due = dbt_kinds.run_memory('models'), [] %}
  {% for unique_id in models.get('unseen', {}).copy() %}
    {% if due | length >= number or loop.index > 4 * number %}{% break %}{% endif %}
    {% if models.unseen.pop(unique_id, none) is not none and unique_id in models.left
        and dbt_kinds.is_surely_due(graph.nodes[unique_id]) %}
      {% do due.append(graph.nodes[unique_id]) %}
    {% endif %}
  {% endfor %}
  {% do return(due) %}
{% endmacro %}


{# The unique ids of the selected models of kinds, in a mapping. #}
{% macro _selected_in_order() %}
  {% set waiting, ordered, kinds = {}, {}, dbt_kinds.kinds() %}
  {% for unique_id in selected_resources | sort
      if unique_id in graph.nodes and graph.nodes[unique_id].config.materialized in kinds %}
    {% do waiting.update({unique_id: true}) %}
  {% endfor %}
  {% for depth in range(waiting | length) %}
    {% set next = [] %}
    {% for unique_id in waiting %}
      {% set parents = [] %}
      {% for parent in graph.nodes[unique_id].depends_on.nodes if parent in waiting %}
        {% do parents.append(parent) %}{% endfor %}
      {% do next.append(unique_id) if not parents %}
    {% endfor %}
    {% for unique_id in next %}
      {% do ordered.update({unique_id: waiting.pop(unique_id)}) %}
    {% endfor %}
    {% if not waiting %}{% break %}{% endif %}
  {% endfor %}
  {% do return(ordered) %}
{% endmacro %}
