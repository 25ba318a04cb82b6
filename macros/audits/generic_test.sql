{# The macro of an audit's generic test, as dbt would find it for a model of this project. Raises if it does not exist
   or does not take the arguments. #}
{% macro generic_test(model_name, audit) %}
  {% set macros = context if audit.package is none else context.get(audit.package) or {} %}
  {% if 'test_' ~ audit.test not in macros %}
    {% set written = (audit.package ~ '.' if audit.package is not none else '') ~ audit.test %}
    {% set meant = dbt_kinds._nearest_test(audit) %}
    {% do dbt_kinds.fail(model_name,
      "audits names the test '" ~ written ~ "', which neither the project, dbt, nor a package has"
        ~ ("; did you mean '" ~ meant ~ "'?" if meant is not none
      else '; a test of a package is written with its name, as in dbt_utils.expression_is_true')) %}
  {% endif %}
  {% set macro = macros['test_' ~ audit.test] %}
  {% do dbt_kinds._check_arguments(model_name, audit, macro) %}
  {% do return(macro) %}
{% endmacro %}


{# The test that was probably meant: one with that name in a package, or one with a similar name. #}
{% macro _nearest_test(audit) %}
  {% set names = [] %}
  {% for key in context.keys() %}
    {% if key.startswith('test_') %}
      {% do names.append(key[5:]) %}
    {% elif context[key] is mapping and context[key].identifier is not defined %}
      {% for name in context[key].keys() if name is string and name.startswith('test_') %}
        {% do names.append(key ~ '.' ~ name[5:]) %}
      {% endfor %}
    {% endif %}
  {% endfor %}
  {% for name in names | sort if name.split('.')[-1] == audit.test %}
    {% do return(name) %}
  {% endfor %}
  {% do return(dbt_kinds.nearest_name((audit.package ~ '.' if audit.package is not none else '') ~ audit.test,
    names | sort, letters=5)) %}
{% endmacro %}


{# dbt-core exposes the arguments of a macro; dbt 2.0 refuses the call and names the argument. #}
{% macro _check_arguments(model_name, audit, macro) %}
  {% if macro.get_macro is not defined %}
    {% do return(none) %}
  {% endif %}
  {% set takes = macro.get_macro().arguments | reject('eq', 'model') | list %}
  {% for name in audit.arguments if name not in takes %}
    {% set meant = dbt_kinds.nearest_name(name, takes, letters=4) %}
    {% do dbt_kinds.fail(model_name,
      "the audit " ~ audit.name ~ " gives the test " ~ audit.test ~ " the argument '" ~ name
        ~ "', which it does not take; " ~ ("did you mean '" ~ meant ~ "'?"
      if meant is not none else 'it takes ' ~ (takes | join(', ') or 'none'))) %}
  {% endfor %}
{% endmacro %}
