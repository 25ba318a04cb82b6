{#
  The compiled query of a model without what may stand around it in its file: a byte order mark, and semicolons at its
  end, also those of its ephemeral parents, which dbt puts in as common table expressions. Refuses several statements.
  Other text is unchanged, since hashes depend on it. Pure.
#}
{% macro one_query(model, sql) %}
  {% if ';' not in sql and '\ufeff' not in sql %}
    {% do return(sql) %}
  {% endif %}
  {% set kept, opened = [], [] %}
  {% for token in dbt_kinds.lexed(sql) %}
    {% if token.text == ';' and token.after not in ['', ';']
        and not (token.after == ')' and opened and opened[-1] == 'as') %}
      {% do dbt_kinds.fail(model, "its query goes on behind a semicolon, at '" ~ token.after
        ~ "', and a model of a kind is one query; move other statements into pre_hook or post_hook") %}
    {% elif token.text == '(' %}
      {% do opened.append(token.before | lower) %}
    {% elif token.text == ')' and opened %}
      {% do opened.pop() %}
    {% endif %}
    {% do kept.append(token.text) if token.text not in [';', '\ufeff'] %}
  {% endfor %}
  {% do return(kept | join) %}
{% endmacro %}
