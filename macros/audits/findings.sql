{# The findings of the audits: `[{audit, failures, is_error, sql}]`. #}
{% macro findings_of(relation, run_context, batch, stage) %}
  {% set queries = [] %}
  {% for audit in run_context.audits %}
    {% set rows = stage if audit.over == 'batch' else dbt_kinds.table_to_be(relation, run_context, batch, stage) %}
    {% do queries.append(dbt_kinds.audit_sql(run_context, batch, audit, rows)) %}
  {% endfor %}
  {% set findings = [] %}
  {% for row in dbt_kinds.query_rows(dbt_kinds.findings_sql(run_context.audits, queries)) | sort(attribute='place') %}
    {% set audit = run_context.audits[row.place] %}
    {% set is_error = audit.severity == 'error' and row.get('is_error', true) %}
    {% do findings.append({'audit': audit, 'failures': row.get('failures', 0), 'is_error': is_error,
      'sql': queries[row.place]}) if is_error or row.get('is_warning', true) %}
  {% endfor %}
  {% do return(findings) %}
{% endmacro %}


{# Stores failing rows if requested, warns, and raises if a finding is an error: the table is unchanged, and no stage
   remains. #}
{% macro report_findings(relation, run_context, batch, findings) %}
  {% set options = run_context.options %}
  {% do dbt_kinds.store_failures(relation, run_context, findings) %}
  {% set failed, warned = findings | selectattr('is_error') | list, findings | rejectattr('is_error') | list %}
  {% set where = ' in the batch ' ~ batch[0] ~ ' to ' ~ batch[1] %}
  {% if warned %}
    {% do dbt_kinds.warn(options.model, 'audit' ~ where ~ ': ' ~ dbt_kinds._finding_words(relation, warned)) %}
  {% endif %}
  {% if failed %}
    {% set words = dbt_kinds._failed_words(relation, options, failed, where) %}
    {% do dbt_kinds.drop_stages(relation) %}
    {% do dbt_kinds.drop_left_stages(relation) if dbt_kinds.open_write(options.relation) is none %}
    {% do dbt_kinds.append_events(options, dbt_kinds.audit_events(batch, run_context.plan.execution_time, findings)) %}
    {% do dbt_kinds.fail(options.model, words ~ '; correct the source or the audit, or, in an emergency, '
      ~ "publish without audits: --vars '{kinds_skip_audits: true}'") %}
  {% endif %}
{% endmacro %}


{# For a model without intervals, a check on the run's own rows is called a constraint, and one on the resulting table
   an audit. #}
{% macro _failed_words(relation, options, failed, where) %}
  {% if not options.traits.is_change_driven %}
    {% do return('audit failed' ~ where ~ ', and nothing of it is published: '
      ~ dbt_kinds._finding_words(relation, failed)) %}
  {% endif %}
  {% set said = [] %}
  {% for over, name in [('batch', 'constraint'), ('table', 'audit')] %}
    {% set of_it = failed | selectattr('audit.over', 'eq', over) | list %}
    {% do said.append(name ~ ' failed: ' ~ dbt_kinds._finding_words(relation, of_it)) if of_it %}
  {% endfor %}
  {% do return(said | join('; ') ~ '; nothing is written') %}
{% endmacro %}


{# `not_null_id: 2 rows, as {…}, {…}` for each. #}
{% macro _finding_words(relation, findings) %}
  {% set words = [] %}
  {% for finding in findings %}
    {% set samples = [] %}
    {% for row in dbt_kinds.query_rows('select * from (\n' ~ finding.sql ~ '\n) limit 3') %}
      {% do samples.append(dbt_kinds.json_text(row)) %}
    {% endfor %}
    {% do words.append(finding.audit.name ~ ': ' ~ dbt_kinds.counted(finding.failures, 'failure', 'failures')
      ~ (', as ' ~ samples | join(', ') if samples)
      ~ (' (all in ' ~ dbt_kinds.table_of_failures(relation, finding.audit) ~ ')' if finding.audit.store_failures)) %}
  {% endfor %}
  {% do return(words | join('; ')) %}
{% endmacro %}
