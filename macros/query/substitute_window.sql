{# The query with every time variable exchanged for its literal of one window. Pure. #}
{% macro substitute_window(sql, window, execution_time) %}
  {% set query = namespace(sql=sql) %}
  {% for prefix, suffix, sentinel in dbt_kinds._sentinels(sql) %}
    {% set literal = dbt_kinds.window_literal(prefix, suffix, window, execution_time) %}
    {% set query.sql = modules.re.sub(sentinel, literal, query.sql) %}
  {% endfor %}
  {% do return(query.sql) %}
{% endmacro %}


{# The query with its time variables still symbolic: the same text for every window. Pure. #}
{% macro symbolic_query(sql) %}
  {% set query = namespace(sql=sql) %}
  {% for prefix, suffix, sentinel in dbt_kinds._sentinels(sql) %}
    {% set query.sql = modules.re.sub(sentinel, '/*kinds:' ~ prefix ~ '_' ~ suffix ~ '*/', query.sql) %}
  {% endfor %}
  {% do return(query.sql) %}
{% endmacro %}


{# (prefix, suffix, pattern) of the time variables that occur in a text. #}
{% macro _sentinels(sql) %}
  {% set found = [] %}
  {% for prefix, suffix in modules.re.findall('/\*kinds:(start|end|execution)_(\w+)\*/', sql) | unique %}
    {% do found.append((prefix, suffix, "/\*kinds:" ~ prefix ~ "_" ~ suffix ~ "\*/ (?:(?:timestamp|timestamp_ntz|date) )?(?:'[^']*'|-?[0-9]+(?:[.][0-9]+)?)")) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}
