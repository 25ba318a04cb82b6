{#
  skip_unchanged: what a run of kind `full` has to do, and why, as plan.reason says it (`skip: deps unchanged`); the plan of a run that may rest loses its
  batches. The versions that the model's tables stand at now, before its query runs, are kept in plan.versions, for the record of its load.
#}
{% macro rest_if_unchanged(node, options, plan, loads, settings, model_hash, sql) %}
  {% if not plan.batches %}
    {% do return(none) %}
  {% endif %}
  {% set now = dbt_kinds.table_versions(node, sql) %}
  {% set latest = loads | sort(attribute='recorded_at') | last if loads else none %}
  {% set then = dbt_kinds.recorded_versions(options, latest.recorded_at) if latest and latest.model_hash == model_hash and not settings.full_refresh else none %}
  {% set type, reason = dbt_kinds.run_type(latest, settings.full_refresh, model_hash, then, now, dbt_kinds.changed_tables(node, then, now)) %}
  {% if type == 'skip' and settings.ignore_skip %}
    {% set type, reason = 'full', 'kinds_ignore_skip' %}
  {% endif %}
  {% do plan.update({'reason': type ~ ': ' ~ reason, 'run_type': type, 'versions': now}) %}
  {% do plan.update({'batches': [], 'missing': [], 'restated': []}) if type == 'skip' %}
{% endmacro %}


{#
  The type of a run and its reason, the first that fits. `latest` is the last load, none where nothing is recorded; `then` are the versions that it
  read, none where they cannot be read; `changed` are the names of tables whose rows are others now. Pure.
#}
{% macro run_type(latest, full_refresh, model_hash, then, now, changed) %}
  {% set unverifiable = [] %}
  {% for name, version in now.items() if version is none %}
    {% do unverifiable.append(name) %}
  {% endfor %}
  {% if not latest %}
    {% do return(['backfill', 'first run']) %}
  {% elif full_refresh %}
    {% do return(['backfill', 'full refresh']) %}
  {% elif latest.model_hash != model_hash %}
    {% do return(['backfill', 'sql changed']) %}
  {% elif then is none %}
    {% do return(['full', 'missing depends metadata']) %}
  {% elif not now %}
    {% do return(['skip', 'no dependencies']) %}
  {% elif unverifiable %}
    {% do return(['full', 'unverifiable dep: ' ~ unverifiable[0]]) %}
  {% elif changed %}
    {% do return(['full', 'dep changed: ' ~ changed[0]]) %}
  {% endif %}
  {% do return(['skip', 'deps unchanged']) %}
{% endmacro %}


{# What a load was made of, as its record keeps it; none where the kind does not ask. #}
{% macro versions_read(work) %}
  {% do return(dbt_kinds.json_text({'versions': work.plan.versions}) if work.plan.get('versions') is not none else none) %}
{% endmacro %}


{# The versions that a load of a model was made of, none where its record does not tell. Reads the store. #}
{% macro recorded_versions(options, recorded_at) %}
  {% set rows = dbt_kinds.read_log([options.relation]) | selectattr('event', 'eq', 'loaded') | selectattr('recorded_at', 'eq', recorded_at) | list %}
  {% set details = rows[0].get('details') if rows else none %}
  {% do return(fromjson(details).get('versions') if details and details.startswith('{') else none) %}
{% endmacro %}


{# The names of the tables whose rows are not those of `then` any more, without those of which nothing is known. #}
{% macro changed_tables(node, then, now) %}
  {% set changed, nodes = [], dbt_kinds.tables_read(node) %}
  {% for name, version in (now.items() if then is not none else []) if version is not none %}
    {% do changed.append(name) if not dbt_kinds.is_same_version(nodes[name], then.get(name), version) %}
  {% endfor %}
  {% do return(changed) %}
{% endmacro %}


{#
  Kinds that compare: whether a run replaces the table or compares with it, and why, as plan.reason says it.
#}
{% macro backfill_or_compare(options, plan, loads, settings, model_hash) %}
  {% set latest = loads | sort(attribute='recorded_at') | last if loads else none %}
  {% do dbt_kinds.check_query_change(options, loads, settings, model_hash) %}
  {% set type, reason = dbt_kinds.run_type(latest, settings.full_refresh, model_hash if options.on_query_change == 'rebuild' else (latest or {}).get('model_hash'), {}, {}, []) %}
  {% set is_backfill = type == 'backfill' %}
  {% do plan.update({'start_anew': is_backfill, 'run_type': 'backfill' if is_backfill else 'incremental', 'reason': type ~ ': ' ~ reason if is_backfill else 'incremental'}) %}
{% endmacro %}


{# The words of a run that did nothing, in dbt's status column. Pure. #}
{% macro idle_status(plan) %}
  {% do return(plan.reason if plan.get('run_type') == 'skip' else plan.run_type ~ ': 0 rows' if plan.get('run_type') in ['incremental', 'flush'] else 'OK waiting' if plan.waiting else 'OK up to date') %}
{% endmacro %}
