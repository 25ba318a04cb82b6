{# Warns of a query with LIMIT, which would apply to each batch and is seldom intended. `sql` is the compiled query. #}
{% macro warn_of_limit(options, sql) %}
  {% if options.traits.replaces_table or not modules.re.search('(?i)\\blimit\\s+[0-9]', sql) %}
    {% do return(none) %}
  {% endif %}
  {% set opened = [] %}
  {% for token in dbt_kinds.lexed_words(sql) %}
    {% if token.text | lower == 'limit' and not opened and token.before not in ['.', ',']
        and dbt_kinds.matches('[0-9]+', token.after) %}
      {% do dbt_kinds.warn(options.model,
        'its query ends in limit ' ~ token.after ~ ', which applies to each batch separately; '
        ~ 'remove it, or limit what the query reads in a subquery') %}
      {% do return(none) %}
    {% endif %}
    {% do dbt_kinds.follow_nesting(opened, token) %}
  {% endfor %}
{% endmacro %}
