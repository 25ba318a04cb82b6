{# dbt's contract, checked before anything is written: dbt asks for the columns of a query, and is given one that has
   them and evaluates nothing. #}
{% macro check_contract(columns) %}
  {% if config.get('contract').enforced %}
    {{ get_assert_columns_equivalent(dbt_kinds.no_rows(columns)) }}
  {% endif %}
{% endmacro %}


{# The columns that a contract is compared with: the query's, and those that the kind adds if the contract names them.
   Pure. #}
{% macro contract_columns(write_spec, columns) %}
  {% set added = write_spec.get('own_columns', []) %}
  {% if added and dbt_kinds.find_column(model.columns.values() | list, added[0].name) is not none %}
    {% do return(columns + added) %}
  {% endif %}
  {% do return(columns) %}
{% endmacro %}
