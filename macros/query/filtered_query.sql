{#
  The model's query, restricted to the rows for which a condition holds. The query is wrapped instead of extending its
  WHERE, which would hide rows that window functions look back on and break `a or b`. Pure.
#}
{% macro filtered_query(sql, condition, columns=['*']) %}
  {% set query -%}
select {{ columns | join(', ') }} from (
{{ sql | trim }}
) where {{ condition }}
  {%- endset %}
  {% do return(query) %}
{% endmacro %}
