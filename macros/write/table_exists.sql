{#
  Whether a table of exactly that name exists in a schema that does. dbt-spark's relation cache cannot be asked: it does not know Iceberg. It does know views,
  and a view holds nothing that was recorded.
#}
{% macro table_exists(relation) %}
  {% set listed = run_query('show tables in ' ~ relation.without_identifier() ~ ' like ' ~ dbt_kinds.text_literal(relation.identifier)) %}
  {% for row in listed.rows if row[1] | string | lower == relation.identifier | lower and not row[2] %}
    {% set cached = load_cached_relation(relation) %}
    {% do return(cached is none or not cached.is_view) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
