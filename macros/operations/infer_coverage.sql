{#
  The whole intervals of a node's table that its rows show to be loaded: for time-range models by the rows' times; for
  models by key and appended rows by their arrival times; if every run reads everything, or what its sources gained, by
  the existence of the table.
#}
{% macro infer_coverage(node, start=none, until=none, gaps='skip', arrival=none) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% if options.get('capture') is not none %}
    {% do dbt_kinds._table_to_adopt(node) %}
    {% do return(dbt_kinds.adopted_capture(options, until)) %}
  {% elif options.traits.ignores_intervals %}
    {% do log('dbt_kinds: ' ~ node.name ~ ': nothing to adopt: a table of kind ' ~ options.kind ~ ' has no intervals',
      info=true) %}
    {% do return([]) %}
  {% endif %}
  {% set relation = dbt_kinds._table_to_adopt(node) %}
  {% if options.traits.filters_by_time %}
    {% do return(dbt_kinds._intervals_by_time(options, relation, start, until, gaps)) %}
  {% elif options.traits.rebuilds_to_restate and not options.traits.accumulates %}
    {% if not dbt_kinds._reads_windows(node) %}
      {% do return(dbt_kinds._interval_by_existence(options, start, until)) %}
    {% endif %}
    {% do return(dbt_kinds._intervals_by_arrival(options, relation, start, until, arrival)) %}
  {% endif %}
  {% do dbt_kinds.fail(node.name, 'adopt cannot tell what a table of ' ~ options.kind ~ ' holds') %}
{% endmacro %}


{#
  What to pass to adopt a model whose kind does not tell which column its windows are of, if it is not what was given:
  none if nothing is to be asked. It names the column that the query compares with the window, if there is one.
#}
{% macro arrival_question(node, arrival=none) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% if not options.traits.rebuilds_to_restate or options.traits.accumulates or not dbt_kinds._reads_windows(node) %}
    {% do return(none) %}
  {% endif %}
  {% set relation = dbt_kinds._table_to_adopt(node) %}
  {% set columns = dbt_kinds.describe_table(relation).columns %}
  {% if arrival and dbt_kinds.find_column(columns, arrival) is not none %}
    {% do return(none) %}
  {% endif %}
  {% set compared = modules.re.findall('(?:\w+\.)?(\w+)\s*(?:>=|between)\s*[{][{]-?\s*dbt_kinds\.start_', node.raw_code)
    | unique | list %}
  {% set its = compared if compared | length == 1 and dbt_kinds.find_column(columns, compared[0]) is not none
    else ['<column>'] %}
  {% do return(
    ('the model reads windows, and its kind does not tell which column they are of' if not arrival
      else "arrival '" ~ arrival ~ "' is not a column of its table")
    ~ "; adopt it by itself: dbt run-operation dbt_kinds.adopt --args '{select: " ~ node.name ~ ', arrival: ' ~ its[0]
    ~ "}'"
    ~ (' with the column that its query compares with start_*()' if its[0] == '<column>' else '')) %}
{% endmacro %}


{# Whether a model's query uses its window; if not, every run reads everything. #}
{% macro _reads_windows(node) %}
  {% set code = modules.re.sub('(?s)\{#.*?#\}', '', node.raw_code) %}
  {% do return(modules.re.search('\\bdbt_kinds\.(start_|end_|window_of)', code) is not none) %}
{% endmacro %}


{#
  Every run reads everything, so an existing table lacks only the newest interval: the one before it is recorded, so
  that the next run takes place. `until` sets the end of the last interval explicitly.
#}
{% macro _interval_by_existence(options, start, until) %}
  {% set bounds = dbt_kinds._adoption_bounds(options, start, until) %}
  {% set upper = dbt_kinds.unit_index([bounds.last, bounds.now] | min, options.unit) - (1 if until is none else 0) %}
  {% if bounds.first is not none and upper <= dbt_kinds.unit_index(bounds.first, options.unit) %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': nothing to adopt: no interval before ' ~ bounds.last ~ ' begins after '
      ~ bounds.first, info=true) %}
    {% do return([]) %}
  {% endif %}
  {% set lower = upper - 1 if bounds.first is none else dbt_kinds.unit_index(bounds.first, options.unit) %}
  {% do return(dbt_kinds.as_instants([[lower, upper]], options.unit, bounds.last)) %}
{% endmacro %}


{# `{first, last, now}`: where the data begin, none if unknown; `until`, else now. #}
{% macro _adoption_bounds(options, start, until) %}
  {% set now = dbt_kinds.run_settings(options.model).execution_time %}
  {% set first = options.start if start is none else dbt_kinds.parse_instant(options.model, 'start', start) %}
  {% set last = now if until is none else dbt_kinds.parse_instant(options.model, 'until', until) %}
  {% if first is not none and until is not none and first >= last %}
    {% do dbt_kinds.fail(options.model, 'start ' ~ first ~ ' is not before until ' ~ last) %}
  {% endif %}
  {% do return({'first': first, 'last': last, 'now': now}) %}
{% endmacro %}


{#
  For rows that arrive in order: all that arrived before the newest one's interval are present, so empty intervals are
  not gaps (a changed row gets a new arrival time). Rows read again are merged, but appended ones would be duplicates,
  so those must end at `until`.
#}
{% macro _intervals_by_arrival(options, relation, start, until, arrival) %}
  {% if not arrival %}
    {% do dbt_kinds.fail(options.model,
      'the model reads windows, and its kind does not tell which column they are of; pass arrival: <column>, the one '
      ~ 'that its query compares with start_*() and end_*()') %}
  {% endif %}
  {% set bounds = dbt_kinds._adoption_bounds(options, start, until) %}
  {% set table = dbt_kinds.describe_table(relation) %}
  {% set column = dbt_kinds.find_column(table.columns, arrival) %}
  {% if column is none %}
    {% do dbt_kinds.fail(options.model,
      "arrival '" ~ arrival ~ "' is not a column of the table " ~ options.relation ~ ', which has '
      ~ table.columns | map(attribute='name') | join(', ') ~ '; dbt_kinds.record states a range by hand') %}
  {% endif %}
  {% set values = dbt_kinds.column_values(options.model, column.name, column.type, none) %}
  {% set seen = dbt_kinds.units_with_rows(relation, dbt_kinds.quoted(column.name), values, options.unit, bounds.now) %}
  {% if not seen.runs %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': nothing to adopt: the table has no rows that count', info=true) %}
    {% do return([]) %}
  {% endif %}
  {% set newest = seen.runs[-1][1] - 1 %}
  {% set end = dbt_kinds.unit_index([bounds.last, bounds.now] | min, options.unit) %}
  {% if options.kind in ['incremental_unmanaged', 'append'] and (until is none or newest >= end) %}
    {% set boundary = dbt_kinds.unit_start(newest if until is none else end, options.unit) %}
    {% do dbt_kinds.fail(options.model,
      'rows that are appended again would be there twice, and the table has rows of an interval that may not be complete; '
      ~ 'run the old model up to a boundary of its interval and pass it as until, or delete from ' ~ options.relation
      ~ ' where ' ~ column.name ~ " >= '"
      ~ boundary ~ "' and pass until: '" ~ boundary ~ "'") %}
  {% endif %}
  {% set upper = end if options.kind in ['incremental_unmanaged', 'append'] else [newest, end] | min %}
  {% set oldest = seen.runs[0][0] %}
  {% set lower = dbt_kinds.unit_index(bounds.first, options.unit) if bounds.first is not none
    else oldest + (0 if dbt_kinds.unit_start(oldest, options.unit) == seen.earliest else 1) %}
  {% if lower >= upper %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': nothing to adopt: no interval of one ' ~ options.unit.name
      ~ ' is whole', info=true) %}
    {% do return([]) %}
  {% endif %}
  {% do return(dbt_kinds.as_instants([[lower, upper]], options.unit, bounds.last)) %}
{% endmacro %}


{% macro _table_to_adopt(node) %}
  {% set relation = api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias) %}
  {% if dbt_kinds.table_exists(node) %}
    {% do return(relation) %}
  {% endif %}
  {% set found = dbt_kinds.relation_type(relation) %}
  {% do dbt_kinds.fail(node.name, relation ~ (' does not exist' if found is none else ' is a ' ~ found)
    ~ '; adopt records what a table holds, and dbt run creates it') %}
{% endmacro %}


{#
  Refuses a table that the next run would refuse, by passing its own columns to range_write_spec as the query's. No
  interval that ends after the execution time is complete, so later rows (a 9999-12-31 that means never) are not
  evidence.
#}
{% macro _intervals_by_time(options, relation, start, until, gaps) %}
  {% set gaps = dbt_kinds.one_of(options.model, 'gaps', gaps, ['skip', 'trust']) %}
  {% set bounds = dbt_kinds._adoption_bounds(options, start, until) %}
  {% set now, first, last = bounds.now, bounds.first, bounds.last %}

  {% set table = dbt_kinds.describe_table(relation) %}
  {% set name = options.time_column.column %}
  {% if dbt_kinds.find_column(table.columns, name) is none %}
    {% do dbt_kinds.fail(options.model,
      "time_column '" ~ name ~ "' is not a column of the table " ~ options.relation ~ ', which has '
      ~ table.columns | map(attribute='name') | join(', ')) %}
  {% endif %}
  {% set write_spec = dbt_kinds.range_write_spec(options, table.columns, table) %}

  {% set seen = dbt_kinds.units_with_rows(relation, write_spec.time_column, write_spec.bounds, options.unit, now) %}
  {% set units = dbt_kinds.whole_units(seen, options.unit, first, [last, now] | min, gaps) %}
  {% set message = 'dbt_kinds: ' ~ options.model ~ ': ' %}
  {% if seen.left_out %}
    {% do log(message ~ dbt_kinds.counted(seen.left_out, 'row does', 'rows do') ~ ' not count: ' ~ name ~ ' is NULL'
      ~ (', not written as ' ~ write_spec.bounds.strftime if write_spec.bounds.strftime is not none else '')
      ~ ', or after ' ~ now, info=true) %}
  {% endif %}
  {% if not units %}
    {% do log(message ~ 'nothing to adopt: '
      ~ ('no interval of one ' ~ options.unit.name ~ ' is whole' if seen.runs else 'the table has no rows that count'),
      info=true) %}
  {% endif %}
  {% do return(dbt_kinds.as_instants(units, options.unit, last)) %}
{% endmacro %}


{#
  Those of the units with rows that count as complete: not the first one unless a row lies at its beginning or `start`
  says so, never the last one, and none before `start` or beyond `end`. Pure.
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
