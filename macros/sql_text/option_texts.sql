{#
  The value of an option that contains SQL: a list of strings; `written` may be a single string. dbt's aliases become
  target and source, and comments are removed, because they would hide SQL appended later. `example` is what the
  messages suggest to write.
#}
{% macro option_texts(model, option, written, example) %}
  {% if written is mapping or (written is not string and written is not sequence) %}
    {% do dbt_kinds.fail(model, option ~ " '" ~ written ~ "' is not a string; write " ~ example) %}
  {% endif %}
  {% set texts = [] %}
  {% for text in ([written] if written is string else written) %}
    {% if text is not string %}
      {% do dbt_kinds.fail(model, option ~ " holds '" ~ text ~ "', which is not a string; write " ~ example) %}
    {% endif %}
    {# a plain name needs no reading #}
    {% set is_name = modules.re.match('\\w+(?![\\s\\S])', text) is not none %}
    {% set read = text if is_name else dbt_kinds.without_comments(text) | trim %}
    {% if not read %}
      {% do dbt_kinds.fail(model, option ~ ' is empty; write ' ~ example ~ ', or remove the option') %}
    {% endif %}
    {# when_matched may have semicolons between its clauses, which are checked one by one #}
    {% do dbt_kinds.validate_sql_fragment(model, option, read, may_have_semicolons=option == 'when_matched')
      if not is_name %}
    {% do texts.append(read if is_name
      else dbt_kinds.replace_alias(read, {'DBT_INTERNAL_DEST': 'target', 'DBT_INTERNAL_SOURCE': 'source'})) %}
  {% endfor %}
  {% do return(texts) %}
{% endmacro %}


{# Removes comments except the sentinels of time variables. #}
{% macro without_comments(text) %}
  {% set kept = [] %}
  {% for token in dbt_kinds.sql_tokens(text) %}
    {% do kept.append(' ' if token[:2] in ['--', '/*'] and not token.startswith('/*kinds:') else token) %}
  {% endfor %}
  {% do return(kept | join) %}
{% endmacro %}
