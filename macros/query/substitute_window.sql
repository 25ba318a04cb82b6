{#
  A bound that depends on the window appears in a compiled query as a sentinel: a comment that names it,
  `/*kinds:start_ds*/`, then a valid literal. `kinds:` is followed by a time variable, by one and the values of the
  column that it is compared with, `start_ds as {…}` (see typed_bound), or by `source_start` or `source_end` and a JSON
  object with the arguments of window_of.
#}


{# The query with every sentinel replaced by its literal for one window. Pure. #}
{% macro substitute_window(sql, window, execution_time) %}
  {% set query = namespace(sql=sql) %}
  {% for bound in dbt_kinds._window_bounds(sql) %}
    {% set query.sql = modules.re.sub(dbt_kinds._sentinel(bound),
      dbt_kinds._named_bound(bound, window, execution_time) | replace('\\', '\\\\'), query.sql) %}
  {% endfor %}
  {% do return(query.sql) %}
{% endmacro %}


{# The query with its bounds still symbolic: the same text for every window. Pure. #}
{% macro symbolic_query(sql) %}
  {% set query = namespace(sql=sql) %}
  {% for bound in dbt_kinds._window_bounds(sql) %}
    {% set query.sql = modules.re.sub(dbt_kinds._sentinel(bound), '/*kinds:' ~ bound | replace('\\', '\\\\') ~ '*/',
      query.sql) %}
  {% endfor %}
  {# as_of wrote a timestamp literal once #}
  {% do return(query.sql | replace('/*kinds:as_of*/ ', 'timestamp ')) %}
{% endmacro %}


{# The arguments of the window_of calls of a query, one mapping each, in order of appearance. Pure. #}
{% macro source_windows(sql) %}
  {% set windows = [] %}
  {% for bound in dbt_kinds._window_bounds(sql) if bound.startswith('source_start ') %}
    {% do windows.append(fromjson(bound[13:])) %}
  {% endfor %}
  {% do return(windows) %}
{% endmacro %}


{# The distinct bounds of a query. #}
{% macro _window_bounds(sql) %}
  {% do return(modules.re.findall('/\*kinds:(' ~ dbt_kinds._bound_pattern() ~ ')\*/', sql) | unique | list) %}
{% endmacro %}


{# A pattern that matches any bound's comment and the literal after it. #}
{% macro sentinel_pattern() %}
  {% do return(dbt_kinds._sentinel_of(dbt_kinds._bound_pattern())) %}
{% endmacro %}


{% macro _sentinel(bound) %}
  {% do return(dbt_kinds._sentinel_of(modules.re.escape(bound))) %}
{% endmacro %}


{% macro _sentinel_of(pattern) %}
  {% do return('/\*kinds:' ~ pattern
    ~ "\*/ (?:(?:timestamp|timestamp_ntz|date) )?(?:'[^']*'|-?[0-9]+(?:[.][0-9]+)?)") %}
{% endmacro %}


{% macro _bound_pattern() %}
  {% do return('(?:(?:start|end|execution)_\w+(?: as \{[^*]*?\})?|source_(?:start|end) \{.*?\})') %}
{% endmacro %}


{% macro _named_bound(bound, window, execution_time) %}
  {% set prefix = bound.split('_')[0] %}
  {% if ' as {' in bound and prefix != 'source' %}
    {% do return(dbt_kinds.bound_literal(fromjson(bound.split(' as ', 1)[1]),
      window[0] if prefix == 'start' else window[1], last_inside=prefix == 'end')) %}
  {% elif prefix != 'source' %}
    {% do return(dbt_kinds.window_literal(prefix, bound[prefix | length + 1:], window, execution_time)) %}
  {% endif %}
  {% set side, source = bound.split(' ', 1) %}
  {% do return(dbt_kinds.source_literal(side, fromjson(source), window)) %}
{% endmacro %}
