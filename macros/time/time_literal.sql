{#
  One instant as a Spark literal, for a suffix such as `ds`. `last_inside` gives the last microsecond before the
  instant instead, which is what every `end_` is. Pure.
#}
{% macro time_literal(suffix, instant, last_inside=false) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% if last_inside %}
    {% set at = at - modules.datetime.timedelta(microseconds=1) %}
  {% endif %}
  {% set text = (at.isoformat() | replace('T', ' '))[:26] %}
  {% set micros = dbt_kinds.seconds_since_1970(at) * 1000000 + text[20:] | int(0) %}
  {% do return({
    'dt': "timestamp '" ~ text ~ "+00:00'",
    'dtntz': "timestamp_ntz '" ~ text ~ "'",
    'date': "date '" ~ text[:10] ~ "'",
    'ds': "'" ~ text[:10] ~ "'",
    'ts': "'" ~ text ~ "'",
    'tstz': "'" ~ text ~ "+00:00'",
    'epoch': ('-' if micros < 0 else '') ~ micros | abs // 1000000
      ~ ('.%06d' | format(micros | abs % 1000000) if micros % 1000000 else ''),
    'millis': (micros // 1000) | string,
    'hour': at.hour | string,
  }[suffix]) %}
{% endmacro %}
