{#
  The package's on-run-start hook. Before the threads of a run begin, it asks once for all of them what each would ask
  first, reads the store, claims the first models that are due (claim_ahead), and compiles what they will call
  (compile_ahead).
  It does nothing in a run of a single model, and in one whose window or settings are unusual: so a setting that is
  wrong is refused by each model, and stops no model of another kind. Where there is no store yet, it compiles. What it
  returns is a statement, so it returns nothing.
#}
{% macro open_run() %}
  {% set may_begin = execute and dbt_version.startswith('1.')
    and invocation_args_dict.get('which') in ['run', 'build'] %}
  {% set unique_ids = dbt_kinds.models_of_run().left | list if may_begin else [] %}
  {% if unique_ids | length > 1 and dbt_kinds._has_usual_settings() %}
    {% set first, is_due = graph.nodes[unique_ids[0]], true %}
    {% if dbt_kinds.find_store() is not none %}
      {% do dbt_kinds.log_of(dbt_kinds.relation_key(first.database, first.schema, first.alias)) %}
      {# a later hook that fails may end the run without an end, and on a server nobody sees that it is gone #}
      {% if dbt_kinds.is_embedded() or not dbt_kinds._hooks_follow() %}
        {# each thread takes one at once #}
        {% do dbt_kinds.claim_ahead(dbt_kinds.run_settings(first.name).execution_time,
          0 if dbt_kinds.is_embedded() else target.threads) %}
      {% endif %}
      {% set is_due = dbt_kinds.has_claims_ahead() or dbt_kinds.is_surely_due(first) %}
    {% endif %}
    {% do dbt_kinds.compile_ahead() if is_due and target.threads > 1 %}
  {% endif %}
{% endmacro %}


{# Whether other on-run-start hooks come after this one: those of packages run in the order of their names, and the
   project's last. #}
{% macro _hooks_follow() %}
  {% for node in graph.nodes.values() if node.resource_type == 'operation' and 'on-run-start' in node.tags %}
    {% if node.package_name == project_name or node.package_name > 'dbt_kinds' %}{% do return(true) %}{% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{# Whether the variables of this run ask for no window, and are right as far as their texts show. #}
{% macro _has_usual_settings() %}
  {% set usual = {
    'kinds_execution_time': '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+]00:00)?)?',
    'kinds_store_schema': '\\w+', 'kinds_store_format': 'hive|iceberg|delta', 'kinds_compact': 'auto|never',
    'kinds_lease_seconds': '[1-9][0-9]*', 'kinds_claim_ahead': '[0-9]+', 'kinds_prod_targets': '[\\s\\S]*',
    'kinds_landing': '[\\s\\S]*',
  } %}
  {% for name in dbt_kinds.variables() if var(name, none) not in [none, false] %}
    {% if name not in usual or not dbt_kinds.matches(usual[name], var(name) | string) %}
      {% do return(false) %}
    {% endif %}
  {% endfor %}
  {% do return(dbt_kinds.writes_spark_sql() and not dbt_kinds.unknown_variables() and not dbt_kinds.is_partial_run()
    and not dbt_kinds.command_option('event_time_start') and not dbt_kinds.command_option('event_time_end')) %}
{% endmacro %}
