{# dbt's --empty and --sample: neither may record an interval as loaded, and an empty run replaces no rows. #}
{% macro is_empty_run() %}
  {% do return(invocation_args_dict.get('empty') | default(false, true)) %}
{% endmacro %}


{% macro is_sample_run() %}
  {% do return(dbt_kinds.command_option('sample') is not none) %}
{% endmacro %}


{# Whether this run is either: then a relation may be a subquery, of which there are no versions to read changes from, and what it reads is not recorded. #}
{% macro is_partial_run() %}
  {% do return(dbt_kinds.is_empty_run() or dbt_kinds.is_sample_run()) %}
{% endmacro %}


{# Whether this run writes rows: appended sample rows would be appended again by the run that records them. #}
{% macro writes_rows(options) %}
  {% if dbt_kinds.is_sample_run() and dbt_kinds.keeps_history(options) %}
    {% do exceptions.warn('dbt_kinds: model ' ~ options.model ~ ': --sample merges nothing, because rows outside the sample would be treated as deleted, or never be loaded') %}
    {% do return(false) %}
  {% elif dbt_kinds.is_sample_run() and dbt_kinds.appends_rows(options) %}
    {% do exceptions.warn('dbt_kinds: model ' ~ options.model ~ ': --sample appends nothing, because the next run would append the same rows again') %}
    {% do return(false) %}
  {% endif %}
  {% do return(not dbt_kinds.is_empty_run()) %}
{% endmacro %}
