{#
  The unreleased claims in a log: {relation, invocation_id, claimed_at, last_sign_of_life, expires_at, holder,
  source, interval, part}; the interval is what was planned, the part what is claimed, none if it is the whole table.
  Every event of a claim's run on that relation is a sign of life. Pure.
#}
{% macro open_claims(log) %}
  {% set runs, claims = {}, [] %}
  {% for row in log if row.recorded_at %}
    {% set run = runs.setdefault((row.relation, row.invocation_id), {'claims': [], 'last': '', 'released': ''}) %}
    {% do run.claims.append(row) if row.event == 'claimed' %}
    {% do run.update({'last': [run.last, row.recorded_at] | max}) %}
    {% do run.update({'released': [run.released, row.recorded_at] | max}) if row.event == 'released' %}
  {% endfor %}
  {% for run in runs.values() %}
    {% for row in run.claims if row.recorded_at > run.released %}
      {% do claims.append({
        'relation': row.relation, 'model': row.model, 'invocation_id': row.invocation_id, 'claimed_at': row.recorded_at,
        'last_sign_of_life': run.last,
        'expires_at': dbt_kinds.moment_after(run.last, row.lease_seconds), 'holder': row.get('holder'),
        'source': row.get('source'),
        'interval': [row.interval_start, row.interval_end] if row.interval_start is defined else none,
        'part': dbt_kinds.part_of_claim(row),
      }) %}
    {% endfor %}
  {% endfor %}
  {% do return(claims) %}
{% endmacro %}


{# Whether the run that holds a claim may still be writing: the claim has not expired, and its JVM is not known to be
   dead. #}
{% macro is_live(claim) %}
  {% do return(claim.expires_at > dbt_kinds.next_moment() and not dbt_kinds._is_gone(claim.holder)) %}
{% endmacro %}


{#
  `host/pid/application` of the JVM that runs our statements, if that JVM ends with the run: a Spark session inside dbt.
  none on a server, which outlives the run, so that only expiry counts.
#}
{% macro lease_holder() %}
  {% set known = dbt_kinds.run_memory('holder') %}
  {% if not dbt_kinds.is_embedded() %}
    {% do return(none) %}
  {% elif not known %}
    {% set row = run_query("select java_method('java.net.InetAddress', 'getLocalHost'), java_method('java.lang.ProcessHandle', 'current')").rows[0] %}
    {% do known.update({'holder': (row[0] | string).split('/')[0] ~ '/' ~ row[1] ~ '/'
      ~ dbt_kinds.spark_application()}) %}
  {% endif %}
  {% do return(known.holder) %}
{% endmacro %}


{# Whether Spark is a session inside dbt, which ends with the run. #}
{% macro is_embedded() %}
  {% do return(adapter.type() == 'spark' and dbt_kinds.credentials().method == 'session') %}
{% endmacro %}


{# A killed local run must not block the next one. A process id may be reused after a restart; an application id is
   not. #}
{% macro _is_gone(holder) %}
  {% set ours = dbt_kinds.lease_holder() %}
  {% if not holder or not ours or holder == ours or holder.split('/')[0] != ours.split('/')[0] %}
    {% do return(false) %}
  {% endif %}
  {% set pid = holder.split('/')[1] %}
  {% if pid == ours.split('/')[1] %}
    {% do return(true) %}
  {% endif %}
  {% do return(run_query("select java_method('java.lang.ProcessHandle', 'of', cast(" ~ pid | int
    ~ ' as bigint))').rows[0][0] | string == 'Optional.empty') %}
{% endmacro %}
