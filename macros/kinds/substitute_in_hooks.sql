{# Hooks run once per run, so their time variables span all its batches. #}
{% macro substitute_in_hooks(hooks, window, execution_time) %}
  {% set substituted = [] %}
  {% for hook in hooks %}
    {% set sql = dbt_kinds.substitute_window(render(hook.sql), window, execution_time) %}
    {% do substituted.append(dict(hook, sql=sql)) %}
  {% endfor %}
  {% do return(substituted) %}
{% endmacro %}
