{# dbt's --empty and --sample: neither may record an interval as loaded, and an empty run replaces no rows. #}
{% macro is_empty_run() %}
  {% do return(invocation_args_dict.get('empty') | default(false, true)) %}
{% endmacro %}


{# A run with --sample records no interval. #}
{% macro is_sample_run() %}
  {% do return(dbt_kinds.command_option('sample') is not none) %}
{% endmacro %}


{# Whether this run is either: then a relation may be a subquery, of which there are no versions to read changes from,
   and what it reads is not recorded. #}
{% macro is_partial_run() %}
  {% do return(dbt_kinds.is_empty_run() or dbt_kinds.is_sample_run()) %}
{% endmacro %}


{# Whether this run writes rows: sample rows would be appended or merged again by the run that records them. #}
{% macro writes_rows(options, warns=true) %}
  {% if dbt_kinds.is_sample_run() and (options.traits.has_merge_timeline or options.traits.may_count_twice) %}
    {% set why = 'merges nothing, because rows outside the sample would be treated as deleted, or never be loaded'
      if options.traits.has_merge_timeline
      else 'appends nothing, because the next run would append the same rows again' if options.traits.appends_rows
      else 'merges nothing, because the next run would merge the same rows again, and when_matched may count them twice' %}
    {% do dbt_kinds.warn(options.model, '--sample ' ~ why) if warns %}
    {% do return(false) %}
  {% endif %}
  {% do return(not dbt_kinds.is_empty_run()) %}
{% endmacro %}
