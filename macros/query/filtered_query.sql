{# The model's query, restricted to the rows of one batch. Wrapped, never added to the author's WHERE. #}
{% macro filtered_query(sql, condition) %}
select * from (
{{ sql }}
) where {{ condition }}
{% endmacro %}
