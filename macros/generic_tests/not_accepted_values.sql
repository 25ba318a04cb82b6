{% test not_accepted_values(model, column_name=none, column=none, is_in=none, quote=true) %}
  {% set tested = dbt_kinds.tested_model('not_accepted_values') %}
  {% set value = dbt_kinds.tested_column(tested, column_name, column) %}
  {% set values = dbt_kinds._refused_values(tested, is_in, dbt_kinds.true_or_false(tested, 'quote', quote)) %}
  {{ dbt_kinds.failing_rows(model, value ~ ' in (' ~ values | join(', ') ~ ')') }}
{% endtest %}


{# Strings are values, or SQL with `quote: false`, as in dbt's accepted_values. #}
{% macro _refused_values(tested, is_in, quote) %}
  {% if is_in is mapping or is_in is string or is_in is not sequence or not is_in %}
    {% do dbt_kinds.fail(tested, "is_in '" ~ is_in ~ "' is not a list of values; write is_in: [cancelled, unknown]") %}
  {% endif %}
  {% set values = [] %}
  {% for value in is_in %}
    {% set is_text = value is none or (value is string and quote) %}
    {% do values.append(dbt_kinds.text_literal(value) if is_text else value | lower if value is boolean
      else dbt_kinds.tested_value(tested, 'is_in', value)) %}
  {% endfor %}
  {% do return(values) %}
{% endmacro %}
