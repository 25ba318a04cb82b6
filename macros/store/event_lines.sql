{#
  The rows of one relation in a text of lines, as mappings of the store's columns, in their order; what is NULL is ''.
  Only a line that has them, behind a tab, gives `kind`, `snapshot_id` and `details`. Raises for an invalid line,
  quoting it.
#}
{% macro parse_events(relation, text) %}
  {% set pattern = dbt_kinds._event_pattern() ~ '(|\t[^\n]*)' %}
  {% set found = modules.re.findall('(?m)^' ~ pattern ~ '$', text) %}
  {% set lines = text.split('\n') if text else [] %}
  {% if found | length != lines | length %}
    {% for line in lines if not dbt_kinds.matches(pattern, line) %}
      {% do dbt_kinds.fail_unreadable(relation, line) %}
    {% endfor %}
  {% endif %}
  {% set events = [] %}
  {% for event, start, end, recorded_at, started_at, execution_time, model_hash, more in found %}
    {% if start >= end %}
      {% do dbt_kinds.fail_unreadable(relation, lines[loop.index0]) %}
    {% endif %}
    {% do events.append({
      'event': event, 'interval_start': start, 'interval_end': end, 'recorded_at': recorded_at,
      'started_at': started_at,
      'execution_time': execution_time, 'model_hash': model_hash,
    }) %}
    {% do events[-1].update({'event': 'loaded', 'source': 'adopt'}) if event == 'adopted' %}
    {% if more %}
      {% set empty, kind, snapshot_id, details = more.split('\t', 3) %}
      {% do events[-1].update({'kind': kind, 'snapshot_id': snapshot_id | int if snapshot_id else none,
        'details': details}) %}
    {% endif %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}


{# The ends of the loads in such a text; none if it has an invalid line. Pure. #}
{% macro ends_in_lines(text) %}
  {% set found, ends = modules.re.findall('(?m)^' ~ dbt_kinds._event_pattern() ~ '(|\t[^\n]*)$', text), [] %}
  {% for event, start, end, recorded_at, started_at, execution_time, model_hash, more in found %}
    {% if start >= end %}{% do return(none) %}{% endif %}
    {% do ends.append(end) if event != 'invalidated' %}
  {% endfor %}
  {% do return(ends if found | length == (text.split('\n') if text else []) | length else none) %}
{% endmacro %}


{# SQL: the line of a row of the store. concat_ws takes a fifth longer (measured). #}
{% macro event_line_sql() %}
  {% set is_asked_for = "(kind in ('" ~ dbt_kinds.timeline_kinds() | join("', '")
    ~ "') or (event = 'loaded' and (instr(details, '\"sources\"') > 0 or instr(details, '\"told\"') > 0)))" %}
  {% do return("concat(" ~ dbt_kinds._plain_line_sql() ~ ", if(" ~ is_asked_for
    ~ ", concat(char(9), coalesce(kind, ''), char(9), coalesce(cast(snapshot_id as string), ''), char(9), coalesce(details, '')), ''))") %}
{% endmacro %}


{# SQL: the fields that decide coverage, separated by a space, each empty if NULL; the event of a load that an operation
   adopted is `adopted`. #}
{% macro _plain_line_sql() %}
  {% set fields = ["if(event = 'loaded' and source = 'adopt', 'adopted', coalesce(event, ''))"] %}
  {% for name in ['interval_start', 'interval_end', 'recorded_at', 'started_at', 'execution_time', 'model_hash'] %}
    {% do fields.append('coalesce(' ~ name ~ ", '')") %}
  {% endfor %}
  {% do return('concat(' ~ fields | join(", ' ', ") ~ ')') %}
{% endmacro %}


{# SQL: whether a row of the store should be one that parse_events takes, and is not. The sign at the end keeps `$` from
   matching before a line break. Pure. #}
{% macro is_unreadable_sql() %}
  {% set others = dbt_kinds.lease_events() + dbt_kinds.write_events() + dbt_kinds.findings_events() %}
  {% do return("(coalesce(event, '') not in ('" ~ others | join("', '") ~ "') and (relation is null or not concat("
    ~ dbt_kinds._plain_line_sql() ~ ", '|') rlike "
    ~ dbt_kinds.text_literal('^' ~ dbt_kinds._event_pattern() ~ '[|]$') ~ ' or interval_start >= interval_end))') %}
{% endmacro %}


{% macro _event_pattern() %}
  {% set instant, moment = dbt_kinds._instant_pattern(), dbt_kinds.moment_pattern() %}
  {% do return(
    '(loaded|adopted|invalidated) (' ~ instant ~ ') (' ~ instant ~ ') (' ~ moment ~ ') (' ~ moment ~ '|) (' ~ instant
      ~ '|) ([^ \t\n]*)'
  ) %}
{% endmacro %}


{# What the store's moments look like, for Python and for Spark. Pure. #}
{% macro moment_pattern() %}
  {% do return(dbt_kinds._instant_pattern() ~ '[.][0-9]{6}') %}
{% endmacro %}


{% macro _instant_pattern() %}
  {% set day = '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))' %}
  {% do return('[0-9]{4}-' ~ day ~ 'T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]') %}
{% endmacro %}


{# Raises for one of these rows, or for a line of it. #}
{% macro fail_unreadable(relation, row) %}
  {% set fields = [] %}
  {% for name in ([] if row is string
      else ['event', 'interval_start', 'interval_end', 'recorded_at', 'started_at', 'execution_time', 'model_hash']) %}
    {% do fields.append(row.get(name) or '') %}
  {% endfor %}
  {% do exceptions.raise_compiler_error("dbt_kinds: the interval store " ~ dbt_kinds.store_table()
    ~ " has a row that cannot be read: relation '"
    ~ relation ~ "', event, interval_start, interval_end, recorded_at, started_at, execution_time and model_hash '"
    ~ (row if row is string else fields | join(' '))
    ~ "'; correct that row, or drop all such rows: dbt run-operation dbt_kinds.compact_store --args '{drop_unreadable: true}'") %}
{% endmacro %}
