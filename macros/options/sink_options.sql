{#
  The option `sink`, where changes are sent and how:
  `{function, args, batch_size, mode, max_concurrent, rate_limit, give_up_after}`. A rate limit is `{requests, seconds}`
  or none, give_up_after is in seconds.
#}
{% macro sink_options(model, given) %}
  {% set sink = {'function': given.sink} if given.sink is string else given.sink %}
  {% if sink is not mapping or not dbt_kinds.matches('[A-Za-z_]\\w*', sink.get('function', '') | string) %}
    {% do dbt_kinds.fail(model, "sink '" ~ given.sink
      ~ "' names no function; write sink: {function: crm}, which is the function push of sinks/crm.py") %}
  {% endif %}
  {% set known = ['function', 'args', 'batch_size', 'mode', 'max_concurrent', 'rate_limit', 'give_up_after'] %}
  {% for name in sink if name not in known %}
    {% do dbt_kinds.fail(model, "sink has an unknown option '" ~ name ~ "'; it takes " ~ known | join(', ')) %}
  {% endfor %}
  {% set mode = dbt_kinds.one_of(model, 'mode of sink', sink.get('mode', 'sync'), ['sync', 'atomic']) %}
  {% set max_concurrent = dbt_kinds.whole_number(model, 'max_concurrent of sink', sink.get('max_concurrent', 1), 1) %}
  {% if mode == 'atomic' and max_concurrent > 1 %}
    {% do dbt_kinds.fail(model, 'max_concurrent of sink is ' ~ max_concurrent
      ~ ', and mode: atomic sends one batch after the other; remove it, or set mode: sync') %}
  {% endif %}
  {% set args = sink.get('args', []) %}
  {% if args is string or args is mapping or args is not sequence %}
    {% do dbt_kinds.fail(model, "args of sink '" ~ args ~ "' is not a list") %}
  {% endif %}
  {% do return({
    'function': sink.function, 'args': args, 'mode': mode, 'max_concurrent': max_concurrent,
    'batch_size': dbt_kinds.whole_number(model, 'batch_size of sink', sink.get('batch_size', 1), 1),
    'rate_limit': dbt_kinds._rate_limit(model, sink.get('rate_limit')),
    'give_up_after': dbt_kinds.seconds_of_duration(model, 'give_up_after of sink', sink.get('give_up_after', '7 days')),
  }) %}
{% endmacro %}


{% macro _rate_limit(model, written) %}
  {% if written is none %}
    {% do return(none) %}
  {% elif written is not mapping or written.keys() | sort != ['per', 'requests'] %}
    {% do dbt_kinds.fail(model, "rate_limit of sink '" ~ written ~ "' is not {requests: 10, per: 1 second}") %}
  {% endif %}
  {% do return({
    'requests': dbt_kinds.whole_number(model, 'requests of rate_limit', written.requests, 1),
    'seconds': dbt_kinds.seconds_of_duration(model, 'per of rate_limit', written.per),
  }) %}
{% endmacro %}
