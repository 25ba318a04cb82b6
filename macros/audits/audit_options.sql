{#
  The option `audits` of a model:
  `[{name, test, package, arguments, severity, over, store_failures, where, limit, fail_calc, error_if, warn_if}]`. The
  entries are written as under `data_tests`, flat or in dbt's newer form. Whether the test exists is only checked when
  it is used. Pure.
#}
{% macro audit_options(model, kind, written) %}
  {% if written is string or written is mapping or written is not sequence %}
    {% do dbt_kinds.fail(model, "audits '" ~ written
      ~ "' is not a list of tests; write one as under data_tests, as in audits: [{not_null: {column_name: id}}]") %}
  {% endif %}
  {% set audits, names = [], {} %}
  {% for entry in written %}
    {% set audit = dbt_kinds._audit(model, kind, entry) %}
    {% if audit is not none %}
      {% if audit.name | lower in names %}
        {% do dbt_kinds.fail(model, "two audits are called '" ~ audit.name ~ "'; give one of them a name, as in "
          ~ audit.test ~ ': {name: …}') %}
      {% endif %}
      {% do names.update({audit.name | lower: true}) %}
      {% do audits.append(audit) %}
    {% endif %}
  {% endfor %}
  {% do return(audits) %}
{% endmacro %}


{# One audit; none if it is not enabled. #}
{% macro _audit(model, kind, entry) %}
  {% set test, given = dbt_kinds._test_and_given(model, entry) %}
  {% set words, settings, arguments = ['name', 'over', 'description', 'arguments', 'config'], {}, {} %}
  {% for source in [given, given.get('config') or {}] %}
    {% for key, value in source.items()
        if key in ['name', 'over'] + dbt_kinds._settings_of_tests() and value is not none %}
      {% do settings.update({key: value}) %}
    {% endfor %}
  {% endfor %}
  {% for key, value in dict(given, **(given.get('arguments') or {})).items()
      if key not in words + dbt_kinds._settings_of_tests() %}
    {% do arguments.update({key: value}) %}
  {% endfor %}
  {% if settings.get('enabled', true) | string | lower == 'false' %}
    {% do return(none) %}
  {% endif %}
  {% set plain = test.split('.')[-1] %}
  {% set column = arguments.get('column_name') %}
  {% set name = settings.get('name')
    or modules.re.sub('\\W+', '_', plain ~ ('_' ~ column if column else '')).strip('_') %}
  {% if not dbt_kinds.matches('\\w+', name | string)
      and settings.get('store_failures', false) | string | lower == 'true' %}
    {% do dbt_kinds.fail(model, "the audit's name '" ~ name
      ~ "' is not a word; write letters, digits and _, for the table of its failures carries it") %}
  {% endif %}
  {% set over = dbt_kinds.one_of(model, 'over of the audit ' ~ name, settings.get('over', 'batch'),
    ['batch', 'table']) %}
  {% set traits = dbt_kinds.kind_traits(kind) if over == 'table' else {} %}
  {% if traits.has_merge_timeline or traits.accumulates %}
    {% do dbt_kinds.fail(model, "over: table of the audit '" ~ name ~ "' is not for " ~ kind
      ~ ', whose table holds other rows than its query; leave it out, or test the table with a dbt test') %}
  {% endif %}
  {% for key in ['where', 'fail_calc', 'error_if', 'warn_if'] if settings.get(key) is not none %}
    {% do dbt_kinds.validate_sql_fragment(model, key ~ ' of the audit ' ~ name, settings[key] | string) %}
  {% endfor %}
  {% do return({
    'name': name, 'test': plain, 'package': test.split('.')[0] if '.' in test else none, 'arguments': arguments,
    'over': over,
    'severity': dbt_kinds.one_of(model, 'severity of the audit ' ~ name, settings.get('severity', 'error'),
      ['error', 'warn']),
    'store_failures': dbt_kinds.true_or_false(model, 'store_failures of the audit ' ~ name,
      settings.get('store_failures', false)),
    'where': settings.get('where'),
    'limit': dbt_kinds.whole_number(model, 'limit of the audit ' ~ name, settings.limit, 1)
      if settings.get('limit') is not none else none,
    'fail_calc': settings.get('fail_calc') or dbt_kinds._fail_calc_of(test),
    'error_if': settings.get('error_if', '!= 0'), 'warn_if': settings.get('warn_if', '!= 0'),
  }) %}
{% endmacro %}


{# The name of an entry's test, and its arguments as written. #}
{% macro _test_and_given(model, entry) %}
  {% if entry is string %}
    {% do return([entry, {}]) %}
  {% elif entry is mapping and 'test_name' in entry %}
    {% set given = {} %}
    {% for key, value in entry.items() if key != 'test_name' %}{% do given.update({key: value}) %}{% endfor %}
    {% do return([entry.test_name, given]) %}
  {% elif entry is mapping and entry | length == 1 %}
    {% set test = entry | list | first %}
    {% if entry[test] is none or entry[test] is mapping %}
      {% do return([test, entry[test] or {}]) %}
    {% endif %}
  {% endif %}
  {% do dbt_kinds.fail(model, "audits has the entry '" ~ entry
    ~ "', which is not a test with its arguments; write one as under data_tests, as in not_null: {column_name: id}") %}
{% endmacro %}


{# The fail_calc of dbt_utils tests, which set it in a config of their own that has no effect here. #}
{% macro _fail_calc_of(test) %}
  {% do return({
    'dbt_utils.equal_rowcount': 'sum(coalesce(diff_count, 0))',
    'dbt_utils.fewer_rows_than': 'sum(coalesce(row_count_delta, 0))',
  }.get(test)) %}
{% endmacro %}


{# The keys that dbt keeps in a test's config. #}
{% macro _settings_of_tests() %}
  {% do return(['severity', 'where', 'limit', 'fail_calc', 'error_if', 'warn_if', 'store_failures', 'store_failures_as',
    'enabled', 'tags', 'meta', 'group', 'database', 'schema', 'alias']) %}
{% endmacro %}
