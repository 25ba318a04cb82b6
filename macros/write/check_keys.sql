{# Counts the rows of a staged batch. Raises where a key is NULL, or has several rows, and names some. #}
{% macro check_keys(options, writer, stage, batch) %}
  {% set is_null = writer.source_keys | join(' is null or ') ~ ' is null' %}
  {% set counts %}
select count(*) as all_rows, count_if({{ is_null }}) as null_rows, count(distinct struct({{ writer.source_keys | join(', ') }})) as all_keys
from {{ stage }} as source
  {%- endset %}
  {% set found = dbt_kinds.query_rows(counts)[0] %}
  {% set keys, where = options.unique_key | join(', '), ' in the batch ' ~ batch[0] ~ ' to ' ~ batch[1] %}
  {% if found.null_rows and options.null_keys == 'error' %}
    {% do dbt_kinds.fail(options.model, 'NULL in unique_key: ' ~ found.null_rows ~ ' of ' ~ found.all_rows ~ ' rows' ~ where ~ ' have no ' ~ keys
      ~ '; leave them out of the query, or set null_keys: match, by which NULL is a key like any other') %}
  {% elif found.all_rows != found.all_keys %}
    {% do dbt_kinds.fail(options.model, 'more than one row for one unique_key, a duplicate of ' ~ keys ~ where ~ ': '
      ~ dbt_kinds._duplicate_keys(writer, stage) ~ '; make the query yield one row for each key, or set duplicate_keys: keep_latest and order_by') %}
  {% endif %}
  {% do return(found.all_rows) %}
{% endmacro %}


{% macro _duplicate_keys(writer, stage) %}
  {% set duplicates %}
select concat('(', concat_ws(', ', {% for key in writer.source_keys %}coalesce(cast({{ key }} as string), 'NULL'){{ ', ' if not loop.last }}{% endfor %}), ')') as key,
  count(*) as times
from {{ stage }} as source
group by {{ writer.source_keys | join(', ') }}
having count(*) > 1
order by times desc, key
limit 5
  {%- endset %}
  {% set samples = [] %}
  {% for row in dbt_kinds.query_rows(duplicates) %}
    {% do samples.append(row.key ~ ' ' ~ row.times ~ ' times') %}
  {% endfor %}
  {% do return(samples | join(', ')) %}
{% endmacro %}


{#
  SQL: of the rows of one key the one with the greatest order_by, NULL being the least; among equals always the same one. It has one column
  more than the query: whoever reads it names the columns. (Spark 3.5 has no `select * except`.)
#}
{% macro latest_rows(options, query) %}
  {% if options.duplicate_keys != 'keep_latest' %}
    {% do return(query) %}
  {% endif %}
  {% set sql -%}
select * from (
select *, row_number() over (
  partition by {{ options.unique_key | join(', ') }} order by {{ options.order_by }} desc nulls last, to_json(struct(*)) desc
) as __kinds_rank
from (
{{ query }}
)
) where __kinds_rank = 1
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
