{# Hooks run once per run, so their time variables span all its batches. `part` is what messages call them. #}
{% macro substitute_in_hooks(options, part, hooks, window, execution_time) %}
  {% set substituted = [] %}
  {% for hook in hooks %}
    {% set sql = render(hook.sql) %}
    {% set sql = dbt_kinds.typed_parts(options, part, [sql], sql)[0] %}
    {% do substituted.append(dict(hook, sql=dbt_kinds.substitute_window(sql, window, execution_time))) %}
  {% endfor %}
  {% do return(substituted) %}
{% endmacro %}
