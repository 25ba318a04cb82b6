{# What can be refused by reading the model's source. Comments are not code. #}
{% macro check_query(node) %}
  {% set code = modules.re.sub('(?s)\{#.*?#\}|--[^\\n]*', '', node.raw_code) %}
  {% if modules.re.search('\\bis_incremental\s*\(', code) %}
    {% do dbt_kinds.fail(node.name, 'is_incremental() is always false in a model of a kind; remove its block and, to read less of a source, '
      ~ 'write where ' ~ 'event_ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}') %}
  {% endif %}
{% endmacro %}
