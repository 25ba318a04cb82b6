{# The whole intervals of a node's table that its rows show to be loaded. Other kinds have other evidence: a branch each. #}
{% macro held_intervals(node, start=none, until=none, gaps='skip') %}
  {% set options = dbt_kinds.options_of(node) %}
  {% set relation = dbt_kinds._table_to_adopt(node) %}
  {% if options.kind == 'incremental_by_time_range' %}
    {% do return(dbt_kinds._intervals_by_time(options, relation, start, until, gaps)) %}
  {% endif %}
  {% do dbt_kinds.fail(node.name, 'adopt cannot tell what a table of ' ~ options.kind ~ ' holds') %}
{% endmacro %}


{% macro _table_to_adopt(node) %}
  {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) %}
  {% if dbt_kinds.table_exists(node) %}
    {% do return(relation) %}
  {% endif %}
  {% set found = dbt_kinds.relation_type(relation) if adapter.check_schema_exists(relation.database, relation.schema) else none %}
  {% do dbt_kinds.fail(node.name, relation ~ (' does not exist' if found is none else ' is a ' ~ found)
    ~ '; adopt records what a table holds, and dbt run creates it') %}
{% endmacro %}


{#
  A table the next run would refuse is refused here: range_writer takes its own columns for the query's. No interval that ends after
  the execution time is complete, so rows beyond it (a 9999-12-31 that means never) are no evidence.
#}
{% macro _intervals_by_time(options, relation, start, until, gaps) %}
  {% set gaps = dbt_kinds.one_of(options.model, 'gaps', gaps, ['skip', 'trust']) %}
  {% set now = dbt_kinds.run_settings(options.model).execution_time %}
  {% set first = options.start if start is none else dbt_kinds.parse_instant(options.model, 'start', start) %}
  {% set last = now if until is none else dbt_kinds.parse_instant(options.model, 'until', until) %}
  {% if first is not none and until is not none and first >= last %}
    {% do dbt_kinds.fail(options.model, 'start ' ~ first ~ ' is not before until ' ~ last) %}
  {% endif %}

  {% set table = dbt_kinds.describe_table(relation) %}
  {% set name = options.time_column.column %}
  {% if dbt_kinds.find_column(table.columns, name) is none %}
    {% do dbt_kinds.fail(options.model, "time_column '" ~ name ~ "' is not a column of the table " ~ options.relation ~ ', which has '
      ~ table.columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set writer = dbt_kinds.range_writer(options, table.columns, table) %}

  {% set seen = dbt_kinds.units_with_rows(relation, writer.time_column, writer.bounds, options.unit, now) %}
  {% set units = dbt_kinds.whole_units(seen, options.unit, first, [last, now] | min, gaps) %}
  {% set message = 'dbt_kinds: ' ~ options.model ~ ': ' %}
  {% if seen.left_out %}
    {% do log(message ~ dbt_kinds._counted(seen.left_out, 'row does', 'rows do') ~ ' not count: ' ~ name ~ ' is NULL'
      ~ (', not written as ' ~ writer.bounds.strftime if writer.bounds.strftime is not none else '') ~ ', or after ' ~ now, info=true) %}
  {% endif %}
  {% if not units %}
    {% do log(message ~ 'nothing to adopt: ' ~ ('no interval of one ' ~ options.unit.name ~ ' is whole' if seen.runs else 'the table has no rows that count'),
      info=true) %}
  {% endif %}
  {% do return(dbt_kinds._as_instants(units, options.unit, last)) %}
{% endmacro %}


{#
  Of the units that hold rows, those that the table holds whole: not the first one unless it begins with its first row or `start` says so,
  never the last one, none before `start` nor beyond `end`. Pure.
#}
{% macro whole_units(seen, unit, start, end, gaps) %}
  {% if not seen.runs %}
    {% do return([]) %}
  {% endif %}
  {% set first, last = seen.runs[0][0], seen.runs[-1][1] - 1 %}
  {% set start_unit = dbt_kinds.unit_index(start, unit) if start is not none else none %}
  {% set begins_whole = start_unit == first or dbt_kinds.unit_start(first, unit) == seen.earliest %}
  {% set lower = [first if begins_whole else first + 1, start_unit if start is not none else first] | max %}
  {% set upper = [last, dbt_kinds.unit_index(end, unit)] | min %}
  {% set whole = [] %}
  {% for run_start, run_end in ([[first, last]] if gaps == 'trust' else seen.runs) %}
    {% do whole.append([[run_start, lower] | max, [run_end, upper] | min]) %}
  {% endfor %}
  {% do return(dbt_kinds.merge_intervals(whole)) %}
{% endmacro %}
