{#
  The rows of a query, as mappings. They are transferred as one JSON text, because agate infers types: it
  turns a column of '2024-01-01' into dates. NULL columns are absent. A query that may have millions of rows names a
  column `by` which they are dealt out over 64 texts.
#}
{% macro query_rows(sql, by=none) %}
  {% set texts %}
select to_json(collect_list(struct(*))) as `rows` from (
{{ sql }}
)
{%- if by is not none %}
group by pmod(hash({{ by }}), 64)
{%- endif %}
  {%- endset %}
  {% set rows = [] %}
  {% for text in run_query(texts).rows %}
    {% do rows.extend(fromjson(text[0])) %}
  {% endfor %}
  {% do return(rows) %}
{% endmacro %}
