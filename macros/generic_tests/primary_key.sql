{% test primary_key(model, column_name=none, columns=none) %}
  {% set tested = dbt_kinds.tested_model('primary_key') %}
  {% set written = columns if columns is not none or column_name is none
    else dbt_kinds.tested_column(tested, column_name, none) %}
  {% set keys = dbt_kinds.tested_columns(tested, 'columns', written, '[order_id, line]') %}
  {{ dbt_kinds.repeated_values(model, keys) }} or {{ keys | join(' is null or ') }} is null
{% endtest %}
