{#
  The pending changes in the outbox of models with a sink, after appending the results of a push. Called by `dbt-kinds push`, which selects what to report, because each part costs
  a statement.
#}
{% macro outbox(select=none, deliveries=[], about=none, limit=10000, resync=false) %}
  {% do dbt_kinds.act_as('outbox') %}
  {% set models = [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% set options = dbt_kinds.options_of(node) %}
    {% if 'sink' in options %}
      {% do dbt_kinds._resync(node, options) if resync %}
      {% if dbt_kinds.has_outbox() %}
        {% do dbt_kinds._put_deliveries(options, deliveries | selectattr('model', 'eq', node.unique_id) | list) %}
      {% endif %}
      {% do models.append(dict(dbt_kinds._told_of(options, about, limit), model=node.unique_id, name=node.name, relation=options.relation, sink=options.sink, keys=dbt_kinds.sink_keys(options))) %}
    {% endif %}
  {% endfor %}
  {% do dbt_kinds.print_answer('outbox', {'models': models, 'now': dbt_kinds.next_moment()}) %}
{% endmacro %}


{% macro _put_deliveries(options, deliveries) %}
  {% set rows = [] %}
  {% for delivery in deliveries %}
    {% do rows.append(dict(delivery, moment=dbt_kinds.next_moment())) %}
  {% endfor %}
  {% do dbt_kinds.append_to_outbox(options.relation, 'delivery', rows) %}
{% endmacro %}


{% macro _told_of(options, about, limit) %}
  {% set relation, told = options.relation, {} %}
  {% for name in (about if about is not none else ['changes', 'attempts', 'dead', 'pushers', 'gaps']) %}
    {% if not dbt_kinds.has_outbox() %}
      {% do told.update({name: 0 if name == 'gaps' else []}) %}
    {% elif name == 'gaps' %}
      {% do told.update({name: dbt_kinds._open_gaps(relation)}) %}
    {% elif name == 'changes' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.waiting_changes_query(relation, limit))}) %}
    {% elif name == 'attempts' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.attempts_query(relation))}) %}
    {% elif name == 'dead' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.dead_letters_query(relation))}) %}
    {% elif name == 'pushers' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.pushers_query(relation, dbt_kinds.moment_after(dbt_kinds.next_moment(), -600)))}) %}
    {% endif %}
  {% endfor %}
  {% do return(told) %}
{% endmacro %}


{# The number of gaps that no resync has closed. #}
{% macro _open_gaps(relation) %}
  {% set state = namespace(gaps=0) %}
  {% for delta in dbt_kinds.query_rows(dbt_kinds.deltas_query(relation) ~ ' order by delta') | sort(attribute='delta') %}
    {% set state.gaps = {'gap': state.gaps + 1, 'resync': 0}.get(delta.status, state.gaps) %}
  {% endfor %}
  {% do return(state.gaps) %}
{% endmacro %}


{# Puts the whole table into the outbox, as inserts that replace all pending changes. #}
{% macro _resync(node, options) %}
  {% set relation = dbt_kinds.relation_of_node(node) %}
  {% if dbt_kinds.relation_type(relation) != 'table' %}
    {% do dbt_kinds.fail(options.model, 'there is no table ' ~ options.relation ~ ' to send; run the model first') %}
  {% endif %}
  {% do dbt_kinds.prepare_outbox() %}
  {% do dbt_kinds.fill_outbox(relation, options, resync=true) %}
{% endmacro %}
