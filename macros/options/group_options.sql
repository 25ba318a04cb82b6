{# What the kind `tracked` adds. #}
{% macro group_options(node, options, given) %}
  {% set model = options.model %}
  {% set written = given.get('group_key') %}
  {% set keys = written.split(',') | map('trim') | list if written is string else written %}
  {% if not keys or keys is string or keys is mapping or keys is not sequence or keys | reject('string') | list
      or '' in keys %}
    {% do dbt_kinds.fail(model, "group_key '" ~ written
      ~ "' is not a list of columns; write group_key: [invoice_id], the columns whose rows belong together") %}
  {% endif %}
  {% do return({'group_key': keys}) %}
{% endmacro %}
