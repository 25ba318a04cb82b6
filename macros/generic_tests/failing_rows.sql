{# The rows for which a condition is true. #}
{% macro failing_rows(model, condition) %}
  {% set query -%}
select *
from {{ model }}
where {{ condition }}
  {%- endset %}
  {% do return(query) %}
{% endmacro %}


{# The values that occur in several rows; NULL is a value like any other. An expression gets a name that a stored table
   can have. #}
{% macro repeated_values(model, columns) %}
  {% set names = [] %}
  {% for column in columns %}
    {% do names.append(column ~ ' as expression_' ~ loop.index if column.startswith('(') else column) %}
  {% endfor %}
  {% set query -%}
select {{ names | join(', ') }}, count(*) as n_records
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
  {%- endset %}
  {% do return(query) %}
{% endmacro %}
