{#
  Parses the format of a time column that is a string or a number, strftime (`%Y%m%d`) or a Spark pattern (`yyyyMMdd`):
  `{strftime, unit}`, the unit being its smallest part. Widths must be fixed and parts run from the year downwards, so
  that strings sort chronologically. Pure.
#}
{% macro time_format(model, written) %}
  {% set text = written | string %}
  {% set parts = [('%Y', 'yyyy', 'year'), ('%m', 'MM', 'month'), ('%d', 'dd', 'day'), ('%H', 'HH', 'hour'),
                  ('%M', 'mm', 'minute'), ('%S', 'ss', 'second')] %}
  {% set is_strftime = '%' in text %}
  {% set found = namespace(directives=[], strftime=text) %}
  {% set runs_of_letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ' | list | join('+|') ~ "+|'[^']*'" %}
  {% for token in modules.re.findall('%.' if is_strftime else runs_of_letters, text) if not token.startswith("'") %}
    {% do found.directives.append(token) %}
  {% endfor %}
  {% set known = parts | map(attribute=0 if is_strftime else 1) | list %}
  {% if not found.directives or (is_strftime and "'" in text)
      or found.directives != known[:found.directives | length] %}
    {% do dbt_kinds.fail(model, "the format '" ~ text
      ~ "' of time_column does not sort as time does; its parts must run from the "
      ~ 'year downwards, as in %Y-%m-%d, %Y%m%d%H or yyyyMMdd') %}
  {% endif %}
  {% if not is_strftime %}
    {% set found.strftime = text | replace("'", '') %}
    {% for directive, spark_pattern, unit in parts[:found.directives | length] %}
      {% set found.strftime = found.strftime | replace(spark_pattern, directive, 1) %}
    {% endfor %}
  {% endif %}
  {% do return({'strftime': found.strftime, 'unit': parts[found.directives | length - 1][2]}) %}
{% endmacro %}
