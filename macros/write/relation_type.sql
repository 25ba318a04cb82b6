{#
  What a name stands for: 'table', 'view' or none, in a schema that exists. dbt-spark's relation cache cannot be asked for
  tables: it does not know Iceberg. It does know views, and a view holds nothing that was recorded.
#}
{% macro relation_type(relation) %}
  {% do return(dbt_kinds.tables_of(relation, relation.identifier).get(relation.identifier | lower)) %}
{% endmacro %}


{# The names of a relation's schema, in lower case, and what each stands for; only one name if one is given. #}
{% macro tables_of(relation, identifier=none) %}
  {% set like = ' like ' ~ dbt_kinds.text_literal(identifier) if identifier is not none else '' %}
  {% set found = {} %}
  {% for row in run_query('show tables in ' ~ relation.without_identifier() ~ like).rows if not row[2] %}
    {% set cached = load_cached_relation(relation.incorporate(path={'identifier': row[1] | string})) %}
    {% do found.update({row[1] | string | lower: 'view' if cached is not none and cached.is_view else 'table'}) %}
  {% endfor %}
  {% do return(found) %}
{% endmacro %}
