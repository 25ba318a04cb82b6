{#
  The state of one dbt invocation, as a mapping: dbt's graph is one dict that all nodes share and may write to (measured on 1.10
  and 1.11). If it is not shared, each model starts with an empty one and reads the store itself. A program that passes its
  manifest to the next invocation passes the graph along, too; hence the invocation id in the key.
#}
{% macro run_memory() %}
  {% do return(graph.setdefault('dbt_kinds ' ~ invocation_id, {
    'events': none, 'asked': none, 'deferred': {}, 'history': {}, 'held': {}, 'pending': {}, 'unsettled': [], 'stages': {}, 'dynamic_overwrite': [], 'store': none, 'store_files': none, 'listed': {}, 'clock': '', 'sequence': none, 'warned': [], 'failed': {}, 'claims': {}, 'dead_claims': {}, 'answers': {},
    'options': {}, 'aliases': none, 'settings': {}, 'crons': {}, 'units': {}, 'ticks': {}, 'holder': none, 'application': none, 'time_zone': none, 'source': 'run', 'backbuild': {}, 'sources': {}, 'noted': {}, 'told': {}, 'queries': {},
  })) %}
{% endmacro %}


{#
  The timestamp for an event: now by this machine's clock, but later than every event this run has read or written,
  because the clocks of two machines differ. ISO text with six digits of microseconds.
#}
{% macro next_moment() %}
  {% set memory = dbt_kinds.run_memory() %}
  {% set moment = modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%dT%H:%M:%S.%f')[:26] %}
  {% if moment <= memory.clock %}
    {% set moment = dbt_kinds.moment_after(memory.clock, 0.000001) %}
  {% endif %}
  {% do memory.update({'clock': moment}) %}
  {% do return(moment) %}
{% endmacro %}


{# dbt 2.0 loses the fraction of `seconds`, but not of `microseconds`. #}
{% macro moment_after(moment, seconds) %}
  {% set later = modules.datetime.datetime.fromisoformat(moment) + modules.datetime.timedelta(microseconds=(seconds * 1000000) | int) %}
  {% do return(later.strftime('%Y-%m-%dT%H:%M:%S.%f')[:26]) %}
{% endmacro %}
