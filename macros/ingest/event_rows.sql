{# An empty query with the declared columns, for a model of kind events, which has no query of its own. #}
{% macro empty_event_rows(options) %}
  {% set selected = [] %}
  {% for column in options.columns %}
    {% do selected.append('cast(null as ' ~ dbt_kinds.sql_type(column.data_type) ~ ') as '
      ~ dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% do return('select ' ~ selected | join(', ') ~ '\nwhere false') %}
{% endmacro %}


{#
  SQL: the lines of some landed files, one row each: the declared columns, `_kinds_file`, and for a rejected line
  `_kinds_text` and `_kinds_reason`. Blank lines are skipped. Times are read as strings first: from_json would fail at
  an unreadable one, and read others in the session's time zone. `_kinds_written` is what the line says, as strings.
  Pure.
#}
{% macro event_lines(options, files, claim_id) %}
  {% set mark = dbt_kinds.number_mark(claim_id) %}
  {% set fields, written, selected, changed = [], [], [], [] %}
  {% for column in options.columns %}
    {% set name = dbt_kinds.quoted(column.name) %}
    {% do fields.append(name ~ ' ' ~ ('string' if dbt_kinds.is_event_time(column)
      else dbt_kinds.sql_type(column.data_type))) %}
    {% do written.append(name ~ ' ' ~ dbt_kinds.text_type(column.type)) %}
    {% do selected.append(dbt_kinds._event_value(column, mark) ~ ' as ' ~ name) %}
    {% do changed.extend(dbt_kinds._changes_of_event(column, mark)) %}
  {% endfor %}
  {% set sql -%}
select {{ dbt_kinds.quoted_names(options.columns) | join(', ') }}, _kinds_file,
  if(_kinds_reason is null, null, _kinds_line) as _kinds_text, _kinds_reason
from (
  select *, {{ dbt_kinds._reason_of_reject(options.columns) }} as _kinds_reason
  from (
    select {{ selected | join(', ') }}, _kinds_line, _kinds_file, _kinds_modified, _kinds_parsed, _kinds_keys,
      concat_ws(', ', {{ changed | join(', ') }}) as _kinds_changed,
      coalesce(element_at(from_json(concat('[', _kinds_line, ',"#"]'), 'array<string>',
        map('allowSingleQuotes', 'false')), 2) = '#', false) as _kinds_is_one_value
    from (
      select value as _kinds_line, _metadata.file_name as _kinds_file,
        _metadata.file_modification_time as _kinds_modified,
        json_object_keys(value) as _kinds_keys, {{ dbt_kinds.has_half_a_character('value') }} as _kinds_has_half,
        from_json(value, {{ dbt_kinds.text_literal(fields | join(', ') ~ ', _kinds_corrupt string') }},
          map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_kinds_corrupt')) as _kinds_parsed,
        from_json({{ dbt_kinds.with_marked_numbers('value', mark) }},
          {{ dbt_kinds.text_literal(written | join(', ')) }}) as _kinds_written
      from text.{{ dbt_kinds.quoted(options.landing) }}
      where _metadata.file_name in ({{ dbt_kinds.text_literals(files) }}) and trim(value) <> ''
    )
  )
)
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# Strings as SQL literals, separated by commas. Pure. #}
{% macro text_literals(texts) %}
  {% set literals = [] %}
  {% for text in texts %}
    {% do literals.append(dbt_kinds.text_literal(text)) %}
  {% endfor %}
  {% do return(literals | join(', ')) %}
{% endmacro %}


{# Whether a column holds dates or timestamps, which are parsed in UTC. Pure. #}
{% macro is_event_time(column) %}
  {% do return(column.type.kind == 'atomic' and column.type.text in ['date', 'timestamp', 'timestamp_ntz']) %}
{% endmacro %}


{# SQL: a line's value for a column, NULL if it is missing or does not fit. #}
{% macro _event_value(column, mark) %}
  {% set text = '_kinds_parsed.' ~ dbt_kinds.quoted(column.name) %}
  {% set value = dbt_kinds.with_written_texts(column.type, text, '_kinds_written.' ~ dbt_kinds.quoted(column.name),
    mark) %}
  {% if dbt_kinds.is_event_time(column) %}
    {% set value = dbt_kinds.event_time(text, column) %}
  {% endif %}
  {% if column.name == 'received_at' and column.type.kind == 'atomic' %}
    {% set utc = 'to_utc_timestamp(_kinds_modified, current_timezone())' %}
    {% set arrival = {
      'timestamp': '_kinds_modified', 'timestamp_ntz': 'cast(' ~ utc ~ ' as timestamp_ntz)',
      'date': 'cast(' ~ utc ~ ' as date)',
      'string': 'date_format(' ~ utc ~ ", \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")",
    }.get(column.type.text) %}
    {% set value = 'if(' ~ text ~ ' is null, ' ~ arrival ~ ', ' ~ value ~ ')' if arrival else value %}
  {% endif %}
  {% do return(value) %}
{% endmacro %}


{# SQL: a string as the date or timestamp of a column, NULL if invalid. A time of day alone would be taken as
   today's. #}
{% macro event_time(text, column) %}
  {% do return('if(' ~ text ~ " rlike '^[0-9]{4}', " ~ dbt_kinds._time_of_text(column.type.text, text) ~ ', null)') %}
{% endmacro %}


{# SQL: a string as a date, or as a timestamp, in UTC unless it names a zone. #}
{% macro _time_of_text(type, text) %}
  {% if type != 'timestamp' %}
    {% do return('try_cast(' ~ text ~ ' as ' ~ type ~ ')') %}
  {% endif %}
  {% set tried = [] %}
  {% for end in ["'Z'", "' 00:00:00Z'", "''"] %}
    {% do tried.append('try_cast(concat(' ~ text ~ ', ' ~ end ~ ') as ' ~ dbt_kinds.zoned_timestamp() ~ ')') %}
  {% endfor %}
  {% do return('coalesce(' ~ tried | join(', ') ~ ')') %}
{% endmacro %}


{# SQL: what would be changed in a line's value for a column, as strings that are NULL if nothing is. #}
{% macro _changes_of_event(column, mark) %}
  {% set name, field = dbt_kinds.quoted(column.name), dbt_kinds.json_field('_kinds_line', column.name) %}
  {% set found = [[dbt_kinds.text_literal(column.name ~ ' is given twice'),
    'size(filter(_kinds_keys, _kinds_key -> _kinds_key = ' ~ dbt_kinds.text_literal(column.name) ~ ')) > 1']] %}
  {% set repeated = dbt_kinds.repeats_keys(column.type, field) %}
  {% do found.append([dbt_kinds.text_literal('a key of ' ~ column.name ~ ' is given twice'), repeated])
    if repeated is not none %}
  {% set exact = none if dbt_kinds.is_event_time(column)
    else dbt_kinds.exact_value(column.type, '_kinds_parsed.' ~ name, '_kinds_written.' ~ name, mark) %}
  {% do found.append([dbt_kinds.unfit_words(column), 'not ' ~ exact]) if exact is not none %}
  {% set changes = [] %}
  {% for words, condition in found %}
    {% do changes.append('if(' ~ condition ~ ', ' ~ words ~ ', null)') %}
  {% endfor %}
  {% do return(changes) %}
{% endmacro %}


{% macro unfit_words(column) %}
  {% do return(dbt_kinds.text_literal(column.name ~ ' is not of type ' ~ column.data_type)) %}
{% endmacro %}


{# SQL: why a line is rejected, NULL if it is not. A string that Java has read is another one if it was not UTF-8. #}
{% macro _reason_of_reject(columns) %}
  {% set unfit, missing, unread = [], [], [] %}
  {% for column in columns %}
    {% set name, words = dbt_kinds.quoted(column.name), dbt_kinds.unfit_words(column) %}
    {% set parsed = '_kinds_parsed.' ~ name %}
    {% do unfit.append('if(' ~ parsed ~ ' is null and ' ~ dbt_kinds.json_field('_kinds_line', column.name)
      ~ ' is not null, ' ~ words ~ ', null)') %}
    {% if dbt_kinds.is_event_time(column) %}
      {% do unread.append('if(' ~ parsed ~ ' is not null and (' ~ name ~ ' is null or not '
        ~ dbt_kinds.exact_value(column.type, parsed, parsed) ~ '), ' ~ words ~ ', null)') %}
    {% endif %}
    {% do missing.append('if(' ~ name ~ ' is null, ' ~ dbt_kinds.text_literal(column.name ~ ' is missing or null')
      ~ ', null)') if column.not_null %}
  {% endfor %}
  {% set changed = ["nullif(_kinds_changed, '')"] %}
  {% set reason -%}
case
    when regexp_replace(_kinds_line, '(?!)', '') <> _kinds_line then 'not UTF-8'
    when not _kinds_is_one_value or _kinds_keys is null then 'not a JSON object'
    when _kinds_parsed._kinds_corrupt is not null
      then coalesce(nullif(concat_ws(', ', {{ (unfit + changed) | join(', ') }}), ''),
        'a value is not of its declared type')
    else nullif(concat_ws(', ', {{ (unread + changed + missing) | join(', ') }}), '')
  end
  {%- endset %}
  {% do return(reason) %}
{% endmacro %}


{# The columns of event_lines and gained_lines, `[{name, type}]`. Pure. #}
{% macro line_columns(options) %}
  {% set columns = [] %}
  {% for column in options.columns %}
    {% do columns.append({'name': column.name, 'type': dbt_kinds.type_text(column.type)}) %}
  {% endfor %}
  {% for name in ['_kinds_file', '_kinds_text', '_kinds_reason'] %}
    {% do columns.append({'name': name, 'type': 'string'}) %}
  {% endfor %}
  {% do return(columns) %}
{% endmacro %}
