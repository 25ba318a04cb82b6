{#
  The rows of a query, as mappings. They come as one JSON text, because agate guesses types: of a column of
  '2024-01-01' it makes dates. Columns that are NULL are absent.
#}
{% macro query_rows(sql) %}
  {% set rows %}
select to_json(collect_list(struct(*))) as `rows` from (
{{ sql }}
)
  {%- endset %}
  {% do return(fromjson(run_query(rows).rows[0][0])) %}
{% endmacro %}
