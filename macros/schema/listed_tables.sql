{#
  The names of the relations in a relation's schema, in lower case; empty if there is no such schema. Listed once per
  run and updated with what this run creates; pass `refresh` to see what others created.
#}
{% macro listed_tables(relation, refresh=false) %}
  {% set listed = dbt_kinds.run_memory('listed_tables') %}
  {% set schema = relation.without_identifier() | string %}
  {% if refresh or schema not in listed %}
    {% do listed.update({schema: dbt_kinds._names_in_schema(relation) if dbt_kinds._schema_exists(relation) else {}}) %}
  {% endif %}
  {% do return(listed[schema]) %}
{% endmacro %}


{#
  The type of a relation: 'table', 'view', or none if it does not exist. dbt-spark's relation cache is not reliable for
  tables: it may lack Iceberg's. It is reliable for views, and a view has no recorded intervals.
#}
{% macro relation_type(relation, refresh=false) %}
  {% set names, name = dbt_kinds.listed_tables(relation, refresh), relation.identifier | lower %}
  {% if name in names and names[name] is none %}
    {% set cached = load_cached_relation(relation) %}
    {% do names.update({name: 'view' if cached is not none and cached.is_view else 'table'}) %}
  {% endif %}
  {% do return(names.get(name)) %}
{% endmacro %}


{# Adds a table that this run created. #}
{% macro cache_table(relation) %}
  {% do dbt_kinds.run_memory('listed_tables').setdefault(relation.without_identifier() | string,
    {}).update({relation.identifier | lower: 'table'}) %}
{% endmacro %}


{% macro _names_in_schema(relation) %}
  {% set names = {} %}
  {% for row in run_query('show tables in ' ~ relation.without_identifier()).rows if not row[2] %}
    {% do names.update({row[1] | string | lower: none}) %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# adapter.check_schema_exists would ask an information_schema in dbt 2.0, and Spark has none. #}
{% macro _schema_exists(relation) %}
  {% set catalog = ' in ' ~ dbt_kinds.quoted(relation.database) if relation.database else '' %}
  {% for row in run_query('show schemas' ~ catalog ~ ' like ' ~ dbt_kinds.text_literal(relation.schema)).rows
      if row[0] | lower == relation.schema | lower %}
    {% do return(true) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
