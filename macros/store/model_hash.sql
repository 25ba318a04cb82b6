{#
  A hash of what decides the rows a model writes: the query with its time variables symbolic, and the options that
  shape the write. Blank lines and spaces at line ends do not count. Pure.
#}
{% macro model_hash(options, sql) %}
  {% set lines = [] %}
  {% for line in dbt_kinds.symbolic_query(sql).splitlines() if line.strip() %}
    {% do lines.append(line.rstrip()) %}
  {% endfor %}
  {% set decisive = [options.kind, options.time_column.column, options.time_column.format, options.unit.name] %}
  {% do return(local_md5(tojson(decisive) ~ '\n' ~ lines | join('\n'))) %}
{% endmacro %}
