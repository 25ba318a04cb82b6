{#
  The first call in SQL whose result differs from one run to the next, as `now()`; none if there is none. Comments,
  strings and names in backticks do not count, nor do functions of a schema. Pure.
#}
{% macro changing_call(sql) %}
  {% set names = dbt_kinds.changing_functions() %}
  {# most queries have none, and lexing takes longer #}
  {% set words = dbt_kinds.lexed_words(sql) if modules.re.search('(?i)' ~ (names + ['unix_timestamp']) | join('|'), sql)
    else [] %}
  {% for word in words %}
    {% set name = word.text | lower if word.kind == 'word' and word.before != '.' else none %}
    {% if name in names and word.after == '(' %}
      {% do return(name ~ '()') %}
    {% elif name == 'unix_timestamp' and words[loop.index0 + 1:][:2] | map(attribute='text') | join == '()' %}
      {% do return('unix_timestamp()') %}
    {% elif name in ['current_date', 'current_timestamp'] and word.after != '.' and word.before | lower != 'as' %}
      {% do return(name) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# Spark's functions of the clock and of chance, and what depends on how rows are read, as in
   dbt_kinds/analysis/determinism.py. Pure. #}
{% macro changing_functions() %}
  {% do return([
    'now', 'current_timestamp', 'current_date', 'current_time', 'curdate', 'localtimestamp', 'getdate',
    'rand', 'randn', 'random', 'randstr', 'uniform', 'uuid', 'gen_random_uuid', 'setseed', 'shuffle', 'tablesample',
    'monotonically_increasing_id', 'spark_partition_id', 'input_file_name',
  ]) %}
{% endmacro %}
