{# A command-line flag. dbt-core exposes flags to macros, dbt 2.0 only shows the command as typed and the environment
   (measured on 2.0.0rc196). A time may have a space before its hour. #}
{% macro command_option(name) %}
  {% if name in invocation_args_dict %}
    {% do return(invocation_args_dict[name]) %}
  {% endif %}
  {% set command = invocation_args_dict.get('invocation_command') or '' %}
  {% set flag = '--' ~ name | replace('_', '-') %}
  {% set typed = dbt_kinds.full_match('[\\s\\S]* ' ~ flag ~ '[ =](\\S+(?: \\d\\d?:\\S+)?)(?: [\\s\\S]*)?', command) %}
  {% do return(typed.group(1) if typed is not none else (env_var('DBT_' ~ name | upper, '') or none)) %}
{% endmacro %}
