{#
  The rows of a query, as mappings. They are transferred as one JSON text, because agate infers types: it
  turns a column of '2024-01-01' into dates. NULL columns are absent.
#}
{% macro query_rows(sql) %}
  {% set rows %}
select to_json(collect_list(struct(*))) as `rows` from (
{{ sql }}
)
  {%- endset %}
  {% do return(fromjson(run_query(rows).rows[0][0])) %}
{% endmacro %}
