{#
  Who started this run, as far as the environment tells: `{user, job, run}`, where the job and its run are those of dbt
  platform or of Airflow. No other variable is asked for, since any other may be a secret.
#}
{% macro started_by() %}
  {% set told = {} %}
  {% for fact, variables in {
    'user': ['USER', 'LOGNAME', 'USERNAME'], 'job': ['DBT_CLOUD_JOB_ID', 'AIRFLOW_CTX_DAG_ID'],
    'run': ['DBT_CLOUD_RUN_ID', 'AIRFLOW_CTX_DAG_RUN_ID'],
  }.items() %}
    {% for variable in variables if env_var(variable, '') %}
      {% do told.setdefault(fact, env_var(variable, '')) %}
    {% endfor %}
  {% endfor %}
  {% do return(told) %}
{% endmacro %}
