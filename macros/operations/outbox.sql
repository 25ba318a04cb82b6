{#
  The pending changes in the outbox of models with a sink, after appending the results of a push. Called by
  `dbt-kinds push`, which selects what to report, because each part costs a statement.
#}
{% macro outbox(select=none, deliveries=[], about=none, limit=10000, resync=false) %}
  {% do dbt_kinds.set_event_source('outbox') %}
  {% set chosen, models = [], [] %}
  {% for node in dbt_kinds.selected_models(select) %}
    {% set options = dbt_kinds.options_of(node) %}
    {% if 'sink' in options %}
      {% do dbt_kinds._resync(node, options) if resync %}
      {% if dbt_kinds.has_outbox() %}
        {% do dbt_kinds._put_deliveries(options, deliveries | selectattr('model', 'eq', node.unique_id) | list) %}
      {% endif %}
      {% do chosen.append([node, options]) %}
    {% endif %}
  {% endfor %}
  {% set about = about if about is not none else ['changes', 'dead', 'pushers', 'counts'] %}
  {% set counts = dbt_kinds._outbox_counts(chosen) if 'counts' in about else {} %}
  {% for node, options in chosen %}
    {% set told = dbt_kinds._told_of(options, about, limit) %}
    {% do told.update({'counts': counts[options.relation]}) if 'counts' in about %}
    {% do models.append(dict(told, model=node.unique_id, name=node.name, relation=options.relation, sink=options.sink,
      keys=dbt_kinds.sink_keys(options))) %}
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


{# The counts of all models, by relation, from one statement. #}
{% macro _outbox_counts(chosen) %}
  {% set counts = {} %}
  {% for node, options in chosen %}
    {% do counts.update({options.relation: {'waiting': 0, 'dead': 0, 'gaps': 0}}) %}
  {% endfor %}
  {% if chosen and dbt_kinds.has_outbox() %}
    {% for row in dbt_kinds.query_rows(dbt_kinds.outbox_counts_query(counts.keys() | list)) %}
      {% do counts.update({row.relation: {'waiting': row.waiting, 'dead': row.dead, 'gaps': row.gaps}}) %}
    {% endfor %}
  {% endif %}
  {% do return(counts) %}
{% endmacro %}


{% macro _told_of(options, about, limit) %}
  {% set relation, told = options.relation, {} %}
  {% for name in about if name != 'counts' %}
    {% if not dbt_kinds.has_outbox() %}
      {% do told.update({name: []}) %}
    {% elif name == 'changes' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.waiting_changes_query(relation, limit))}) %}
    {% elif name == 'dead' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.dead_letters_query(relation))}) %}
    {% elif name == 'pushers' %}
      {% do told.update({name: dbt_kinds.query_rows(dbt_kinds.pushers_query(relation,
        dbt_kinds.moment_after(dbt_kinds.next_moment(), -600)))}) %}
    {% endif %}
  {% endfor %}
  {% do return(told) %}
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
