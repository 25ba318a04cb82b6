{# The SQL expressions over the query by which a kind finds or orders rows. They are described together with the query,
   so that Spark rejects invalid ones early. Pure. #}
{% macro described_expressions(options) %}
  {% if options.traits.row_key == 'unique_key' %}
    {% do return(options.unique_key + options.order_by) %}
  {% endif %}
  {% do return(options.unique_key if options.traits.has_merge_timeline else []) %}
{% endmacro %}


{#
  The options, with quotes around key and order columns whose names are not plain words, such as `my id` or `order-id`.
  The query is described if one of them may be such a name.
#}
{% macro with_quoted_names(options, sql) %}
  {% set odd = [] %}
  {% for text in dbt_kinds.described_expressions(options) if not dbt_kinds.matches('\\w+|`(?:[^`]|``)+`', text) %}
    {% do odd.append(text) %}{% endfor %}
  {% if not odd %}
    {% do return(options) %}
  {% endif %}
  {% set columns, quoted = dbt_kinds.describe_query(sql), {} %}
  {% for option in ['unique_key', 'order_by'] if options.get(option) %}
    {% set texts = [] %}
    {% for text in options[option] %}
      {% set column = dbt_kinds.find_column(columns, text) if text in odd else none %}
      {% do texts.append(dbt_kinds.quoted(column.name) if column is not none else text) %}
    {% endfor %}
    {% do quoted.update({option: texts}) %}
  {% endfor %}
  {% do return(dict(options, **quoted)) %}
{% endmacro %}
