{# Parses the lines of one relation into events; a load that was adopted has `is_adopted`. Raises for an invalid line, quoting it. #}
{% macro parse_events(relation, text) %}
  {% set pattern = dbt_kinds._event_pattern() %}
  {% set found = modules.re.findall('(?m)^' ~ pattern ~ '$', text) %}
  {% set lines = text.split('\n') %}
  {% if found | length != lines | length %}
    {% for line in lines if not dbt_kinds.matches(pattern, line) %}
      {% do dbt_kinds.fail_unreadable(relation, line) %}
    {% endfor %}
  {% endif %}
  {% set events = [] %}
  {% for event, start, end, recorded_at, started_at, execution_time, model_hash in found %}
    {% if start >= end %}
      {% do dbt_kinds.fail_unreadable(relation, lines[loop.index0]) %}
    {% endif %}
    {% do events.append({
      'event': event, 'start': start, 'end': end, 'recorded_at': recorded_at, 'started_at': started_at,
      'execution_time': execution_time, 'model_hash': model_hash,
    }) %}
    {% do events[-1].update({'event': 'loaded', 'is_adopted': true}) if event == 'adopted' %}
  {% endfor %}
  {% do return(events) %}
{% endmacro %}


{# A row of the store as the line that parse_events takes. Pure. #}
{% macro event_line(row) %}
  {% do return([
    'adopted' if row.event == 'loaded' and row.get('source') == 'adopt' else row.event, row.interval_start, row.interval_end, row.recorded_at, row.started_at, row.execution_time, row.model_hash
  ] | join(' ')) %}
{% endmacro %}


{# SQL: whether a row of the store should be one that parse_events takes, and is not. The sign at the end keeps `$` from matching before a line break. Pure. #}
{% macro is_unreadable_sql() %}
  {% set others = dbt_kinds.lease_events() + dbt_kinds.write_events() + dbt_kinds.findings_events() %}
  {% do return("(coalesce(event, '') not in ('" ~ others | join("', '") ~ "') and (relation is null or not concat(" ~ dbt_kinds.event_line_sql() ~ ", '|') rlike "
    ~ dbt_kinds.text_literal('^' ~ dbt_kinds._event_pattern() ~ '[|]$') ~ ' or interval_start >= interval_end))') %}
{% endmacro %}


{% macro _event_pattern() %}
  {% set instant, moment = dbt_kinds._instant_pattern(), dbt_kinds.moment_pattern() %}
  {% do return(
    '(loaded|adopted|invalidated) (' ~ instant ~ ') (' ~ instant ~ ') (' ~ moment ~ ') (' ~ moment ~ '|) (' ~ instant ~ '|) ([^ \n]*)'
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


{% macro fail_unreadable(relation, line) %}
  {% do exceptions.raise_compiler_error("dbt_kinds: the interval store " ~ dbt_kinds.store_table() ~ " has a row that cannot be read: relation '"
    ~ relation ~ "', event, interval_start, interval_end, recorded_at, started_at, execution_time and model_hash '" ~ line
    ~ "'; correct that row, or drop all such rows: dbt run-operation dbt_kinds.compact_store --args '{drop_unreadable: true}'") %}
{% endmacro %}
