{# Checks that only need the model's source. Jinja in an SQL comment is run like any other; Jinja's own comments are
   not. #}
{% macro check_query(node) %}
  {% set code = modules.re.sub('(?s)\{#.*?#\}', '', node.raw_code) %}
  {% set blocks = modules.re.findall('(?s)\{[{%].*?[%}]\}', code) | join(' ') %}
  {% if modules.re.search('\\bis_incremental\s*\(', blocks) %}
    {% do dbt_kinds.fail(node.name,
      'is_incremental() is always false in a model of a kind; remove its block and, to read less of a source, '
      ~ 'write where event_ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}') %}
  {% endif %}
{% endmacro %}
