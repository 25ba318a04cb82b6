{# SQL: the rows of a relation, or of a query in parentheses, that fail an audit, in the window of a batch. #}
{% macro audit_sql(run_context, batch, audit, rows) %}
  {% set macro = dbt_kinds.generic_test(run_context.options.model, audit) %}
  {% set audited = rows if audit.where is none
    else '(select * from ' ~ rows ~ ' where ' ~ audit.where ~ ') dbt_subquery' %}
  {% set arguments = {} %}
  {% for name, value in audit.arguments.items() %}
    {% do arguments.update({name: dbt_kinds._resolved_argument(run_context.options.model, audit, value, rows)}) %}
  {% endfor %}
  {% set sql = dbt_kinds._typed_audit(run_context, audit, macro(model=audited, **arguments) | string | trim) %}
  {% do return(dbt_kinds.substitute_window(sql, dbt_kinds.query_window(run_context.options, batch),
    run_context.plan.execution_time)) %}
{% endmacro %}


{# The SQL of an audit with its bounds in the types of what they are compared with, which is asked once in a run. #}
{% macro _typed_audit(run_context, audit, sql) %}
  {% set typed = run_context.get('typed_audits', {}) %}
  {% if '/*kinds:' not in sql %}
    {% do return(sql) %}
  {% elif audit.name in typed %}
    {% do return(dbt_kinds.with_bounds(sql, typed[audit.name])) %}
  {% endif %}
  {% set written = dbt_kinds.typed_parts(run_context.options, "its audit '" ~ audit.name ~ "'", [sql],
    'select * from (\n' ~ sql ~ '\n) as audited')[0] %}
  {% do run_context.setdefault('typed_audits',
    {}).update({audit.name: dbt_kinds.probed_query(written).bounds | map(attribute='name') | list}) %}
  {% do return(written) %}
{% endmacro %}


{#
  Refuses an audit whose time variables would be compared in the session's time zone before anything is staged. Those in
  the test's own macro are seen when it is rendered over the staged rows.
#}
{% macro check_audits_bounds(run_context, batch) %}
  {% for audit in run_context.audits
      if '/*kinds:' in audit | string and audit.name not in run_context.get('typed_audits', {}) %}
    {% do dbt_kinds.audit_sql(run_context, batch, audit, dbt_kinds.empty_rows(run_context.staged_columns.schema)) %}
  {% endfor %}
{% endmacro %}


{# A string such as `ref('customers')` is resolved as under data_tests. The model itself is the audited rows, because
   its table does not have them yet. #}
{% macro _resolved_argument(model_name, audit, value, rows) %}
  {% set written = dbt_kinds.full_match('\\s*(ref|source|var|env_var)\\s*[(](.*)[)]\\s*', value) if value is string
    else none %}
  {% if written is none %}
    {% do return(value) %}
  {% endif %}
  {% set call, given = written.group(1), modules.re.findall('[\'"]([^\'"]*)[\'"]', written.group(2)) %}
  {% if call == 'var' %}
    {% do return(var(*given)) %}
  {% elif call == 'env_var' %}
    {% do return(env_var(*given)) %}
  {% elif call == 'ref' and given[-1] == model.name and (given | length == 1 or given[0] == model.package_name) %}
    {% do return(rows) %}
  {% endif %}
  {% if not dbt_kinds.is_dependency(model, call, given) %}
    {% do dbt_kinds.fail(model_name,
      'the audit ' ~ audit.name ~ ' reads ' ~ value | trim
        ~ ', and dbt does not know that the model does; write in the model, below its config: -- depends_on: {{ '
        ~ value | trim ~ ' }}') %}
  {% endif %}
  {% do return(ref(*given) if call == 'ref' else source(*given)) %}
{% endmacro %}


{# SQL: a row for each audit, with its index in the list and the counts that dbt computes for such a test. Pure. #}
{% macro findings_sql(audits, queries) %}
  {% set selects = [] %}
  {% for audit in audits %}
    {% set failures = audit.fail_calc or 'count(*)' %}
    {% set select -%}
select
  {{ loop.index0 }} as place, cast({{ failures }} as bigint) as failures,
  {{ failures }} {{ audit.error_if }} as is_error, {{ failures }} {{ audit.warn_if }} as is_warning
from (
{{ queries[loop.index0] }}
{{- '\nlimit ' ~ audit.limit if audit.limit is not none }}
) as dbt_internal_test
    {%- endset %}
    {% do selects.append(select) %}
  {% endfor %}
  {% do return(selects | join('\nunion all\n')) %}
{% endmacro %}
