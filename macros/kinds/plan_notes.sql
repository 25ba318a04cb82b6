{#
  What is said once beside a plan's reason: `{notes, told}`, texts, and the settings that the first batch's record keeps as told, none if no note has to be remembered. What
  changed of the query needs no memory, because the run that says so records the new one.
#}
{% macro plan_notes(options, plan, settings) %}
  {% set notes, told = [], options.cron ~ ' ' ~ options.cron_tz ~ ' ' ~ options.unit.name %}
  {% set early = dbt_kinds.early_ticks(options, plan.execution_time) if settings.start is none and settings.end is none and not settings.ignore_cron else none %}
  {% if early is none or told in dbt_kinds.run_memory().told.get(options.relation, []) %}
    {% do return({'notes': notes, 'told': none}) %}
  {% endif %}
  {% do notes.append(early.is ~ ', so ' ~ early.leads_to ~ '; to load it at once, write ' ~ early.remedy) %}
  {% do return({'notes': notes, 'told': told}) %}
{% endmacro %}


{# The details of a batch's record, with what its run said and need not say again. Pure. #}
{% macro details_with_told(plan, number, details) %}
  {% if plan.get('told') is none or number > 1 %}
    {% do return(details) %}
  {% endif %}
  {% do return(dbt_kinds.json_text(dict(fromjson(details) if details else {}, told=plan.told))) %}
{% endmacro %}
