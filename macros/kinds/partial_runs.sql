{# dbt's --empty and --sample: neither may claim that an interval is loaded, and an empty run replaces no rows. #}
{% macro is_empty_run() %}
  {% do return(invocation_args_dict.get('empty') | default(false, true)) %}
{% endmacro %}


{% macro is_sample_run() %}
  {% do return(invocation_args_dict.get('sample') is not none) %}
{% endmacro %}
