{#
  The rows that a relation gained since the model's last run, for use in FROM: a comment that names it, then all of its
  rows in parentheses, so that every command can run the query. A kind with `capture: snapshot` replaces both. The name
  is that of table_name: a relation may also render its catalog, or a subquery.
#}
{% macro changes_of(relation) %}
  {% do return('/*kinds:changes_of ' ~ relation.schema ~ '.' ~ relation.identifier ~ '*/ (select * from ' ~ relation
    ~ ')') %}
{% endmacro %}


{# The relations whose changes a query reads, by name. Pure. #}
{% macro captured_tables(sql) %}
  {% do return(modules.re.findall('/[*]kinds:changes_of ([^*]+)[*]/', sql) | unique | list) %}
{% endmacro %}


{#
  The query with the rows that its captured tables gained between two snapshots, or with all rows at the second.
  `change_sets` is table -> [since, now], with since none for all rows, table -> [view], a view of appended rows, or
  table -> [since, now, query], the query of a change data feed. `except all` respects duplicates. Pure.
#}
{% macro with_change_sets(change_sets, sql) %}
  {% set query = namespace(sql=sql) %}
  {% for name, bounds in (change_sets or {}).items() %}
    {% set sentinel = '/[*]kinds:changes_of ' ~ modules.re.escape(name) ~ '[*]/ [(]select [*] from ([^()]+)[)]' %}
    {% if bounds | length == 1 %}
      {% set rows = 'select * from ' ~ bounds[0] %}
    {% elif bounds | length == 3 %}
      {% set rows = bounds[2] | replace('\\', '\\\\') %}
    {% else %}
      {# a table that was never written to has no version #}
      {% set now = 'select * from \\1 where false' if bounds[1] == 'None'
        else 'select * from \\1 version as of ' ~ bounds[1] %}
      {% set rows = now if bounds[0] in [none, 'None'] or bounds[1] == 'None' else now ~ ' where false'
        if bounds[0] == bounds[1] else now ~ ' except all select * from \\1 version as of ' ~ bounds[0] %}
    {% endif %}
    {% set query.sql = modules.re.sub(sentinel, '(' ~ rows ~ ')', query.sql) %}
  {% endfor %}
  {% do return(query.sql) %}
{% endmacro %}
