{# The variables that a run reads, and the one of projects that `compile` wrote. Pure. #}
{% macro variables() %}
  {% do return([
    'kinds_start', 'kinds_end', 'kinds_execution_time', 'kinds_ignore_cron', 'kinds_batch_size', 'kinds_allow_full_restatement',
    'kinds_allow_approximate_restatement', 'kinds_backbuild', 'kinds_require_safety', 'kinds_lease_seconds', 'kinds_store_schema', 'kinds_store_format',
    'kinds_prod_targets',
  ]) %}
{% endmacro %}


{# Refuses a variable of the command line that is called as ours are and is none: it would be ignored without a word. #}
{% macro check_variables(model) %}
  {% set given = invocation_args_dict.get('vars') %}
  {% set known = dbt_kinds.variables() %}
  {% for name in (given if given is mapping else {}) if name.startswith('kinds_') and name not in known %}
    {% set meant = dbt_kinds.nearest_name(name, known) %}
    {% do dbt_kinds.fail(model, "unknown variable '" ~ name ~ "'; " ~ ("did you mean '" ~ meant ~ "'?" if meant is not none else 'there are ' ~ known | join(', '))) %}
  {% endfor %}
{% endmacro %}
