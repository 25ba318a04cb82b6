{# dbt's contract, checked before anything is written. #}
{% macro check_contract(sql) %}
  {% if config.get('contract').enforced %}
    {{ get_assert_columns_equivalent(sql) }}
  {% endif %}
{% endmacro %}


{# The query that the columns of a contract are compared with, including columns that the kind adds if the contract names them. #}
{% macro contract_query(writer, query) %}
  {% if writer.get('table_query') and dbt_kinds.find_column(model.columns.values() | list, dbt_kinds.unquoted(writer.valid_from)) is not none %}
    {% do return(writer.table_query) %}
  {% endif %}
  {% do return(query) %}
{% endmacro %}
