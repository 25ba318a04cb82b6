{#
  Records intervals as loaded if the rows of a table that was filled by other means show that they are. Every model is checked before the first
  is recorded; without `execute` none is recorded.
#}
{% macro adopt(select=none, start=none, until=none, gaps='skip', again=false, execute=false, arrival=none) %}
  {% set executed = dbt_kinds.true_or_false('the operation adopt', 'execute', execute) %}
  {% do dbt_kinds.act_as('adopt') %}
  {% set held = {} %}
  {% for node in dbt_kinds.named_models('adopt', select) %}
    {% do dbt_kinds._check_unrecorded(node, again) %}
    {% do held.update({node.unique_id: dbt_kinds.held_intervals(node, start, until, gaps, arrival)}) %}
  {% endfor %}
  {% set models = [] %}
  {% for node in dbt_kinds.named_models('adopt', select) %}
    {% set options = dbt_kinds.options_of(node) %}
    {# reading the tables took time #}
    {% do dbt_kinds._check_unrecorded(node, again) if executed %}
    {# a run's own records are more precise: they have the time and the query #}
    {% set adopted = dbt_kinds.subtract_intervals(held[node.unique_id], dbt_kinds.coverage(options.relation)) %}
    {% if executed %}
      {% set at = dbt_kinds.run_settings(node.name).execution_time %}
      {% set pending = dbt_kinds.run_memory().pending.get(options.relation) %}
      {% do dbt_kinds.append_events(options, dbt_kinds.statements_of(adopted, at) + (dbt_kinds.still_pending(pending, adopted) if adopted else [])) %}
    {% endif %}
    {% do models.append({
      'model': node.unique_id, 'relation': options.relation, 'adopted': adopted, 'recorded': dbt_kinds.recorded_coverage(node),
    }) %}
  {% endfor %}
  {% do dbt_kinds.print_answer('adopt', {'executed': executed, 'models': models}) %}
{% endmacro %}


{#
  Any event counts, not only a load: rows of a withdrawn range, or of an unfinished write,
  prove nothing.
#}
{% macro _check_unrecorded(node, again) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% do dbt_kinds.check_no_lease(options) %}
  {% do dbt_kinds.refuse_half_written(options, dbt_kinds.run_memory().pending.get(options.relation)) %}
  {% set log = [] if dbt_kinds.true_or_false(node.name, 'again', again) else dbt_kinds.read_log([options.relation]) %}
  {% if log %}
    {% do dbt_kinds.fail(node.name, 'the interval store has events of ' ~ options.relation ~ ' already, the last one ' ~ log[-1].event ~ ' at '
      ~ log[-1].recorded_at[:19] ~ ' (UTC); pass again: true to record all the same what its rows show') %}
  {% endif %}
{% endmacro %}
