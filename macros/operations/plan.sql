{#
  What `dbt run` would do, model by model; nothing is written. `queries` are compiled queries by unique id, where
  known. A model's plan assumes that its parents' plans are loaded.
#}
{% macro plan(select=none, full_refresh=false, queries={}) %}
  {% set plans, due, shown = [], [], [] %}
  {% set nodes, relations = dbt_kinds.selected_models(select), [] %}
  {% for node in nodes %}{% do relations.append(dbt_kinds.options_of(node).relation) %}{% endfor %}
  {# the store is read before any model is looked at: an error there is about none of them #}
  {% do dbt_kinds.events_of(relations[0]) if relations %}
  {% for node in dbt_kinds.parents_first(nodes) %}
    {% set options = dbt_kinds.options_of(node) %}
    {% set rebuild = full_refresh if node.config.full_refresh is none else node.config.full_refresh %}
    {% set settings = dbt_kinds.run_settings(node.name, rebuild and not options.traits.blocks_full_refresh) %}
    {% set settings = dbt_kinds.backbuild_settings(node, settings, nodes | map(attribute='unique_id') | list) %}
    {% do dbt_kinds.say_what_is_looked_at(options) %}
    {% set plan = dbt_kinds.plan_of(node, options, settings, queries.get(node.unique_id)) %}
    {% set note = dbt_kinds.note_of_plan(options, plan,
      dbt_kinds.is_filled(options, plan, dbt_kinds.table_exists(node), dbt_kinds.relation_of_node(node))) %}
    {% do plans.append([options, plan, note]) %}
    {% do due.append(options.relation) if plan.batches %}
    {% do dbt_kinds._expect_loads(options.relation, plan) %}
  {% endfor %}
  {# a query of the store more, so only where there is something to estimate #}
  {% set known = dbt_kinds.newest_batches(due) %}
  {% for options, plan, note in plans %}
    {% do shown.append(dict(dbt_kinds._shown_plan(plan, note),
      estimate=dbt_kinds.estimate(plan, known.get(options.relation, []), options.unit))) %}
  {% endfor %}
  {% do dbt_kinds.print_answer('plan', {'plans': shown | sort(attribute='model')}) %}
{% endmacro %}


{# What of a plan is printed. Pure. #}
{% macro _shown_plan(plan, note) %}
  {% set shown = {} %}
  {% for name in [
    'model', 'relation', 'kind', 'execution_time', 'start', 'end', 'cron', 'unit', 'recorded', 'missing', 'lookback',
    'restated', 'batches', 'waiting', 'reason',
  ] %}
    {% do shown.update({name: plan[name]}) %}
  {% endfor %}
  {% do shown.update({'to_go': plan.to_go}) if plan.to_go %}
  {% do shown.update({'note': note}) if note is not none %}
  {% do return(shown) %}
{% endmacro %}


{# The current plan of a node, based on the records of its table. It asks no table what changed: what ignores intervals
   is planned as if it read everything. #}
{% macro plan_of(node, options, settings, sql=none) %}
  {% set sql = none if sql is none else dbt_kinds.one_query(options.model, sql) %}
  {% set is_there = dbt_kinds.table_exists(node) %}
  {% do dbt_kinds.check_deletes_are_seen(node, sql) %}
  {% set run = {'is_there': is_there, 'sql': sql, 'loads': dbt_kinds.loads_of(options.relation) if is_there else [],
    'settings': settings} %}
  {% do return(dbt_kinds['plan_whole' if options.traits.ignores_intervals else options.traits.plan](node, options,
    run)) %}
{% endmacro %}


{# Adds what a run would record to what this invocation knows; readers of the table are planned after it. #}
{% macro _expect_loads(relation, plan) %}
  {% set moment = dbt_kinds.next_moment() %}
  {% for start, end in plan.batches %}
    {% do dbt_kinds.add_to_log(relation,
      {'event': 'loaded', 'interval_start': start, 'interval_end': end, 'recorded_at': moment,
        'execution_time': plan.execution_time}) %}
  {% endfor %}
{% endmacro %}
