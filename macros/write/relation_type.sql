{#
  What a name stands for: 'table', 'view' or none, in a schema that exists. dbt-spark's relation cache cannot be asked for
  tables: it does not know Iceberg. It does know views, and a view holds nothing that was recorded.
#}
{% macro relation_type(relation) %}
  {% set listed = run_query('show tables in ' ~ relation.without_identifier() ~ ' like ' ~ dbt_kinds.text_literal(relation.identifier)) %}
  {% for row in listed.rows if row[1] | string | lower == relation.identifier | lower and not row[2] %}
    {% set cached = load_cached_relation(relation) %}
    {% do return('view' if cached is not none and cached.is_view else 'table') %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}
