{# The expressions of the option unique_key in any of its forms: `a`, `a, b`, `(a, b)` or a list. Pure. #}
{% macro key_expressions(model, written) %}
  {% set example = 'a column, such as order_id, or several, such as [order_id, line]' %}
  {% set expressions = [] %}
  {% for text in dbt_kinds.option_texts(model, 'unique_key', written, example) %}
    {% set is_name = modules.re.match('\\w+(?![\\s\\S])', text) is not none %}
    {% for expression in ([text] if is_name else dbt_kinds.split_top_level(dbt_kinds.without_parentheses(text))) %}
      {% if not expression %}
        {% do dbt_kinds.fail(model, "unique_key '" ~ text ~ "' holds an empty expression; write " ~ example) %}
      {% endif %}
      {% do expressions.append(expression) %}
    {% endfor %}
  {% endfor %}
  {% if not expressions %}
    {% do dbt_kinds.fail(model, 'unique_key is empty; write ' ~ example) %}
  {% endif %}
  {% do return(expressions) %}
{% endmacro %}
