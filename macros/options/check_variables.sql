{# The variables that a run reads, and the one in projects written by `compile`. Pure. #}
{% macro variables() %}
  {% do return([
    'kinds_start', 'kinds_end', 'kinds_execution_time', 'kinds_ignore_cron', 'kinds_batch_size',
    'kinds_allow_full_restatement',
    'kinds_allow_approximate_restatement', 'kinds_backbuild', 'kinds_require_safety', 'kinds_lease_seconds',
    'kinds_store_schema', 'kinds_store_format',
    'kinds_prod_targets', 'kinds_skip_audits', 'kinds_ignore_skip', 'kinds_landing', 'kinds_compact',
    'kinds_claim_ahead',
  ]) %}
{% endmacro %}


{# Refuses an unknown variable with the package's prefix, which would be silently ignored. On dbt 2.0 only those of the
   command line are seen. #}
{% macro check_variables(model) %}
  {% for found in dbt_kinds.unknown_variables()[:1] %}
    {% set meant = dbt_kinds.nearest_name(found.name, dbt_kinds.variables()) %}
    {% set help = "did you mean '" ~ meant ~ "'?" if meant is not none
      else 'there are ' ~ dbt_kinds.variables() | join(', ') %}
    {% do dbt_kinds.fail(model, "unknown variable '" ~ found.name ~ "'" ~ found.place ~ '; ' ~ help) %}
  {% endfor %}
{% endmacro %}


{# The unknown ones, `{name, place}`; the place is '' for the command line. #}
{% macro unknown_variables() %}
  {% set declared, known, unknown = dbt_kinds.project_variables(), dbt_kinds.variables(), [] %}
  {% for variables in [invocation_args_dict.get('vars'), declared, declared.get(project_name),
      declared.get('dbt_kinds')] %}
    {% set place = '' if loop.first else ' in dbt_project.yml' %}
    {% for name in (variables if variables is mapping else {}) if name.startswith('kinds_') and name not in known %}
      {% do unknown.append({'name': name, 'place': place}) %}
    {% endfor %}
  {% endfor %}
  {% do return(unknown) %}
{% endmacro %}
