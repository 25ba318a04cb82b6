{# Refuses table names that Spark does not accept, and those that would change the SQL because dbt-spark does not quote
   them. Pure. #}
{% macro check_table_name(node) %}
  {% for part, name in {'alias': node.alias, 'schema': node.schema, 'database': node.database}.items() if name %}
    {% set names = [name] if part == 'alias' else name.split('.') %}
    {% for word in names if modules.re.match('\\w+(?:-\\w+)*(?![\\s\\S])', word) is none %}
      {% do dbt_kinds.fail(node.name,
        part ~ " '" ~ name ~ "' cannot be part of a table's name in Spark; write letters, digits and underscores"
        ~ (", as in config(alias='" ~ (modules.re.sub('\\W+', '_', name).strip('_') or 'orders') ~ "')"
        if part == 'alias' else '')) %}
    {% endfor %}
  {% endfor %}
{% endmacro %}
