{#
  The types of what the bounds of a query are compared with, where the query itself shows them: it reads one relation,
  and each bound is compared with a column that the query returns as it read it. None if they have to be asked for, or
  if the session's time zone matters. Saves a statement. Pure.
#}
{% macro evident_types(options, probe, columns) %}
  {% set text = modules.re.sub("'[^']*'", "''", dbt_kinds.without_comments(probe.sql)) %}
  {% set relations = modules.re.findall('(?i)\\b(?:from|join)\\s+(?!\\s*\\()', text) %}
  {% if relations | length != 1
      or modules.re.search('(?i)\\b(?:lateral|pivot|unpivot|transform|values|union|intersect|except|minus)\\b|\\bfrom\\s+\\S+(?:\\s+(?:as\\s+)?\\w+)?\\s*,', text) %}
    {% do return(none) %}
  {% endif %}
  {% set target, types = dbt_kinds.filtered_column(options, none, columns), [] %}
  {% for bound in probe.bounds %}
    {% set column = dbt_kinds.find_column(columns, bound.operand) if bound.operand is not none else none %}
    {% if column is none or not dbt_kinds._is_passed_through(text, column.name)
        or not dbt_kinds._is_same_everywhere(bound, dbt_kinds.base_type(column.type), target) %}
      {% do return(none) %}
    {% endif %}
    {% do types.append(dbt_kinds.base_type(column.type)) %}
  {% endfor %}
  {% do return(types) %}
{% endmacro %}


{# Whether nothing in a query is given that name, and it stands nowhere behind a dot, where it may be a field. #}
{% macro _is_passed_through(text, name) %}
  {% set found = modules.re.findall('(?i)(\\w+|[^\\s\\w])\\s*(?<!\\w)`?' ~ modules.re.escape(name) ~ '`?(?!\\w)',
    text) %}
  {% for before in found if before | lower not
      in ['select', 'distinct', 'all', 'where', 'and', 'or', 'not', 'on', 'by', 'having', 'when', 'then', 'else',
        'case', ',', '(', '=', '<', '>', '+', '-', '*', '/', '%'] %}
    {% do return(false) %}
  {% endfor %}
  {% do return(found != []) %}
{% endmacro %}


{# Whether a bound of a column is written in the same way whatever the session's time zone. #}
{% macro _is_same_everywhere(bound, type, target) %}
  {% set prefix, suffix = bound.name.split(' ')[0].split('_') %}
  {% if target is not none and (type == 'timestamp') != (target.type == 'timestamp') %}
    {% do return(false) %}
  {% elif prefix == 'source' %}
    {% do return(true) %}
  {% elif type == 'timestamp' %}
    {% do return(suffix in ['dt', 'tstz']) %}
  {% endif %}
  {% do return(type in ['timestamp_ntz', 'date', 'string'] and suffix in ['dtntz', 'date', 'ds', 'ts', 'tstz']) %}
{% endmacro %}
