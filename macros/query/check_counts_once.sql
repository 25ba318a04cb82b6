{#
  Refuses a query whose intervals, read separately, would not add up to the whole: one that reads its whole source each
  time, or more of it than its interval. `sql` is the compiled query.
#}
{% macro check_counts_once(options, sql) %}
  {% set windows = dbt_kinds.source_windows(sql) %}
  {% set way_out = "; read the one source that rows are counted of through dbt_kinds.window_of(ref('…'), '<its time column>'), and look-ups whole" %}
  {% if not modules.re.search('/\*kinds:(source_)?(start|end)', sql) %}
    {% do dbt_kinds.fail(options.model,
      'the query does not read its interval, so that every interval would count the whole source again' ~ way_out) %}
  {% elif windows | map(attribute='relation') | unique | list | length > 1 %}
    {% do dbt_kinds.fail(options.model,
      'the query reads windows of several sources, ' ~ windows | map(attribute='relation') | unique | join(', ')
      ~ ', and results of their intervals cannot be added up' ~ way_out) %}
  {% endif %}
  {% for window in windows %}
    {% if dbt_kinds._is_wider(window, options.unit) %}
      {% do dbt_kinds.fail(options.model,
        'an interval of one ' ~ options.unit.name ~ ' reads more of ' ~ window.relation ~ ' than itself (before '
          ~ window.before ~ ', after '
          ~ window.after ~ ', unit ' ~ window.unit ~ ', ' ~ window.data_type
          ~ '), which would be counted again by its neighbours' ~ way_out ~ ', or set a coarser interval_unit') %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# Whether a unit reads more than itself. A sample of units is enough, since different grids diverge early. #}
{% macro _is_wider(window, unit) %}
  {% set step = dbt_kinds.column_values('', window.column, window.data_type, window.format).step %}
  {% set first = dbt_kinds.unit_index('2024-01-01T00:00:00', unit) %}
  {% for number in range(first, first + 60) %}
    {% set interval = [dbt_kinds.unit_start(number, unit), dbt_kinds.unit_start(number + 1, unit)] %}
    {% if dbt_kinds.source_window(interval, window) != interval
        or (step is not none and dbt_kinds.ceil_to_unit(interval[0], step) != interval[0]) %}
      {% do return(true) %}
    {% endif %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
