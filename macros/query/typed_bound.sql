{#
  The name of a bound in the form that fits what it is compared with, as substitute_window takes it. `type` is that
  type, `target` the time column of the kind, none if it does not filter what it writes. Raises if rows would be lost or
  read twice. `options.part` names SQL beside the query, if that is where the bound is. Pure.
#}
{% macro typed_bound(options, bound, type, analysed, target) %}
  {% set prefix, suffix = bound.name.split(' ')[0].split('_') %}
  {% set is_window = prefix == 'source' %}
  {% set is_number = suffix in ['epoch', 'millis', 'hour'] %}
  {% set sees_instants = type == 'timestamp' or (suffix in ['epoch', 'millis'] and not is_window) %}
  {% do dbt_kinds._check_finer_than_dates(options, bound, type) if options.part is not defined %}
  {% if not analysed.is_utc and target is not none and prefix != 'execution' %}
    {% do dbt_kinds._check_same_zone(options, bound, sees_instants, analysed, target) %}
  {% endif %}
  {% if is_window %}
    {% set window = fromjson(bound.name.split(' ', 1)[1]) %}
    {% do dbt_kinds.column_values(options.model, window.column, type, window.format) %}
    {% do return(modules.re.sub('"data_type": "[^"]*"', '"data_type": "' ~ type ~ '"', bound.name)) %}
  {% elif target is not none and type == target.type and bound.operand is not none
      and bound.operand | lower == target.name and target.written.strftime is not none and not target.is_computed %}
    {% do return(dbt_kinds._formatted_bound(options, bound, prefix, suffix, target)) %}
  {% elif type in ['timestamp', 'timestamp_ntz', 'date'] %}
    {% do return(dbt_kinds._time_bound(options, bound, type, analysed, target)) %}
  {% elif type in ['string', 'varchar', 'char'] %}
    {% if (is_number and not dbt_kinds._means_what_it_says(options, analysed))
        or (suffix == 'dt' and not analysed.is_utc) %}
      {% do dbt_kinds._refuse_bound(options, bound, 'a text', analysed,
        'start_ds, start_ts or start_tstz, as the text is written, or cast the text') %}
    {% endif %}
  {% elif not is_number %}
    {% do dbt_kinds._refuse_bound(options, bound, dbt_kinds._a(type), analysed,
      'a time variable of its type, such as start_epoch') %}
  {% endif %}
  {% do return(bound.name) %}
{% endmacro %}


{# A bound of a timestamp, timestamp_ntz or date: as it is written where Spark reads it right, else in the column's own
   type. #}
{% macro _time_bound(options, bound, type, analysed, target) %}
  {% set prefix, suffix = bound.name.split('_') %}
  {% set instead = prefix ~ '_' ~ dbt_kinds.suffix_of_type(type) %}
  {% if suffix in ['epoch', 'millis', 'hour'] %}
    {% do dbt_kinds._refuse_bound(options, bound, dbt_kinds._a(type), analysed, instead) %}
  {% endif %}
  {% set is_local = suffix not in ['dt', 'tstz'] if type == 'timestamp' else suffix == 'dt' %}
  {% set ends_a_day_early = prefix == 'end' and suffix in ['date', 'ds'] and type != 'date' %}
  {% set is_inside_a_day = type == 'date' and suffix in ['dt', 'dtntz']
    and dbt_kinds.is_finer_than_days(options.unit) %}
  {% if not ((is_local and not analysed.is_utc) or ends_a_day_early or is_inside_a_day) %}
    {% do return(bound.name) %}
  {% endif %}
  {% set keeps_meaning = prefix == 'start' or bound.operator in ['<=', '>', 'between']
    or bound.operator == ('<' if type != 'date' else '=') %}
  {% if prefix == 'execution' or not keeps_meaning or not (analysed.is_utc or target is none or target.type == type) %}
    {% if dbt_kinds._means_what_it_says(options, analysed) %}
      {% do return(bound.name) %}
    {% endif %}
    {% do dbt_kinds._refuse_bound(options, bound, dbt_kinds._a(type), analysed, instead) %}
  {% endif %}
  {% do return(bound.name ~ ' as ' ~ dbt_kinds.json_text({'write': type, 'strftime': none})) %}
{% endmacro %}


{# A query that takes the last day of a window for a moment loses rows; a hook may mean that moment. #}
{% macro _means_what_it_says(options, analysed) %}
  {% do return(analysed.is_utc and options.part is defined) %}
{% endmacro %}


{# A bound of a time column that is a text or a number, in that column's format. #}
{% macro _formatted_bound(options, bound, prefix, suffix, target) %}
  {% if prefix == 'execution' or suffix in ['epoch', 'millis', 'hour'] %}
    {% if target.written.write == 'string' and suffix in ['ds', 'ts', 'tstz'] %}
      {% do return(bound.name) %}
    {% endif %}
    {% do dbt_kinds.fail(options.model,
      'its query compares ' ~ bound.name ~ " with time_column '" ~ target.name ~ "', which is written as "
        ~ target.written.strftime
        ~ ': write start_ds and end_ds, which are given that form') %}
  {% elif suffix == 'ds' and target.written.write == 'string' and target.written.strftime == '%Y-%m-%d' %}
    {% do return(bound.name) %}
  {% endif %}
  {% do return(bound.name ~ ' as '
    ~ (dbt_kinds.json_text({'write': target.written.write, 'strftime': target.written.strftime})
    | replace('*', '\\u002a'))) %}
{% endmacro %}


{# Refuses a date as a bound of hours where rows are not filtered again: every hour would load its whole day. #}
{% macro _check_finer_than_dates(options, bound, type) %}
  {% if type == 'date' and dbt_kinds.is_finer_than_days(options.unit) and options.traits.appends_rows
      and not bound.name.startswith('execution') %}
    {% do dbt_kinds.fail(options.model,
      'its query compares ' ~ dbt_kinds._called(bound) ~ ' with a date, and loads intervals of one ' ~ options.unit.name
      ~ ': each of them would load the whole day again; compare a timestamp, or set interval_unit: day') %}
  {% endif %}
{% endmacro %}


{# Refuses a filter and a time column with the session's time zone between them: the filter drops rows that belong to
   the interval. #}
{% macro _check_same_zone(options, bound, sees_instants, analysed, target) %}
  {% set name = dbt_kinds._called(bound) %}
  {# seconds since 1970 are the same in every zone, though Spark names one for unix_timestamp() #}
  {% set is_local = not modules.re.search('_(?:epoch|millis)(?![\\s\\S])', name)
    and dbt_kinds.is_compared_locally(analysed, bound) %}
  {% if sees_instants == (target.type == 'timestamp') and not is_local %}
    {% do return(none) %}
  {% elif sees_instants != (target.type == 'timestamp') and not target.is_computed and bound.operand is not none
      and not dbt_kinds.is_computed(analysed, bound.operand) %}
    {# two columns of the source, which agree or not regardless of the zone #}
    {% do return(none) %}
  {% elif target.type != 'timestamp' and not sees_instants and not name.endswith('_hour') %}
    {% do return(none) %}
  {% endif %}
  {% do dbt_kinds.fail(options.model,
    "between time_column '" ~ target.name ~ "', " ~ dbt_kinds._a(target.type)
      ~ ', and the column that its query compares with ' ~ name
    ~ " lies the session's time zone, " ~ analysed.zone ~ ', so that rows of an interval would be lost; compare ' ~ name
    ~ " with the time_column's own expression, "
    ~ 'make the column that is compared the time_column, or set spark.sql.session.timeZone to UTC') %}
{% endmacro %}


{% macro _refuse_bound(options, bound, what, analysed, instead) %}
  {% do dbt_kinds.fail(options.model,
    options.get('part', 'its query') ~ ' compares ' ~ bound.name ~ ' with '
      ~ (bound.operand ~ ', ' if bound.operand is not none else '') ~ what
      ~ ', which Spark would convert' ~ (" in the session's time zone, " ~ analysed.zone if not analysed.is_utc else '')
      ~ ', so that rows would be lost; write ' ~ instead) %}
{% endmacro %}


{% macro _a(type) %}
  {% do return(('an ' if type[0] in ['a', 'i'] else 'a ') ~ type) %}
{% endmacro %}


{# What the author of a query calls a bound. #}
{% macro _called(bound) %}
  {% do return('window_of' if bound.name.startswith('source_') else bound.name) %}
{% endmacro %}
