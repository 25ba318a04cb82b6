{#
  One instant as a Spark literal, for a suffix such as `ds`. `last_inside` gives the last microsecond before the
  instant instead, which is what every `end_` is. Pure.
#}
{% macro time_literal(suffix, instant, last_inside=false) %}
  {% set at = modules.datetime.datetime.fromisoformat(instant) %}
  {% if last_inside %}
    {% set at = at - modules.datetime.timedelta(microseconds=1) %}
  {% endif %}
  {% set fraction = '.%06d' | format(at.microsecond) if at.microsecond else '' %}
  {% set text = at.isoformat(' ') %}
  {% set epoch = (at.toordinal() - 719163) * 86400 + at.hour * 3600 + at.minute * 60 + at.second %}
  {% do return({
    'dt': "timestamp '" ~ text ~ "+00:00'",
    'dtntz': "timestamp_ntz '" ~ text ~ "'",
    'date': "date '" ~ text[:10] ~ "'",
    'ds': "'" ~ text[:10] ~ "'",
    'ts': "'" ~ text ~ "'",
    'tstz': "'" ~ text ~ "+00:00'",
    'epoch': epoch ~ fraction,
    'millis': (epoch * 1000 + at.microsecond // 1000) | string,
    'hour': at.hour | string,
  }[suffix]) %}
{% endmacro %}
