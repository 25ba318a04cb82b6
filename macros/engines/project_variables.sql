{# The variables of dbt_project.yml, those of one project below its name; empty on dbt 2.0, which does not expose
   them. #}
{% macro project_variables() %}
  {% do return(adapter.config.vars.to_dict() if dbt_kinds.is_dbt_core() else {}) %}
{% endmacro %}
