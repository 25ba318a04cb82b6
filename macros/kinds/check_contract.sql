{# dbt's contract, checked before anything is written. #}
{% macro check_contract(sql) %}
  {% if config.get('contract').enforced %}
    {{ get_assert_columns_equivalent(sql) }}
  {% endif %}
{% endmacro %}
