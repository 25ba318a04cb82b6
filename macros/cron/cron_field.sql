{# The values of one field, sorted. `refusal` is how the message begins, `field` what it calls the field. #}
{% macro cron_field(model, refusal, text, field, least, greatest, names) %}
  {% if text == '*' %}
    {% do return(range(least, (6 if field == 'day of week' else greatest) + 1) | list) %}
  {% endif %}
  {% set found = [] %}
  {% for item in text.split(',') %}
    {% set values, slash, step = item.partition('/') %}
    {% if slash and not dbt_kinds.matches('0*[1-9][0-9]*', step) %}
      {% do dbt_kinds.fail(model, refusal ~ "step '" ~ step ~ "' is not a whole number of 1 or more") %}
    {% endif %}

    {% set ends = dbt_kinds.full_match('([^-]+)-([^-]+)', values) if '-' in values else none %}
    {% if values == '*' %}
      {% set first, last = least, greatest %}
    {% elif ends is none %}
      {% set first = dbt_kinds._cron_value(model, refusal, values, field, least, greatest, names) %}
      {% set last = greatest if slash else first %}
    {% else %}
      {% set first = dbt_kinds._cron_value(model, refusal, ends.group(1), field, least, greatest, names) %}
      {% set last = dbt_kinds._cron_value(model, refusal, ends.group(2), field, least, greatest, names) %}
      {# in fri-sun the week ends on Sunday #}
      {% set last = 7 if field == 'day of week' and last == 0 and first > 0 else last %}
      {% if first > last %}
        {% do dbt_kinds.fail(model, refusal ~ "range '" ~ values ~ "' runs backwards") %}
      {% endif %}
    {% endif %}

    {% for value in range(first, last + 1, step | int(1)) %}
      {% do found.append(value % 7 if field == 'day of week' else value) %}
    {% endfor %}
  {% endfor %}
  {% do return(found | unique | sort) %}
{% endmacro %}


{# `mon#2`, `5#3`: the weekday and its ordinal in the month, as sorted pairs. #}
{% macro nth_weekdays(model, refusal, items, names) %}
  {% set found = [] %}
  {% for item in items %}
    {% set weekday, _, nth = item.partition('#') %}
    {% if not dbt_kinds.matches('[1-5]', nth) %}
      {% do dbt_kinds.fail(model, refusal ~ "'" ~ item ~ "' is none of the first five of a month, as in mon#2") %}
    {% endif %}
    {% set pair = [dbt_kinds._cron_value(model, refusal, weekday, 'day of week', 0, 7, names) % 7, nth | int] %}
    {% do found.append(pair) if pair not in found %}
  {% endfor %}
  {% do return(found | sort) %}
{% endmacro %}


{% macro _cron_value(model, refusal, text, field, least, greatest, names) %}
  {% if text | lower in names %}
    {% do return(names[text | lower]) %}
  {% elif not dbt_kinds.matches('[0-9]+', text) %}
    {% do dbt_kinds.fail(model, refusal ~ "'" ~ text ~ "' is no " ~ field) %}
  {% elif text | int < least or text | int > greatest %}
    {% do dbt_kinds.fail(model, refusal ~ field ~ ' ' ~ text ~ ' is not between ' ~ least ~ ' and ' ~ greatest) %}
  {% endif %}
  {% do return(text | int) %}
{% endmacro %}
