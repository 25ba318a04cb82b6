{# The analyzed plan of a statement as Spark prints it, '' where the engine prints none, or, if it has to be `is_whole`,
   cuts it off. Nothing is computed or read. #}
{% macro analysed_plan(statement, is_whole=false) %}
  {% set printed = [] %}
  {% for row in run_query('explain extended\n' ~ statement).rows %}{% do printed.append(row[0] | string) %}{% endfor %}
  {% set parts = (printed | join('\n')).split('== Analyzed Logical Plan ==') %}
  {% set parts = (parts[1] if parts | length > 1 else '').split('== Optimized Logical Plan ==') %}
  {% do return('' if is_whole and parts | length < 2 else parts[0]) %}
{% endmacro %}


{#
  What Spark's analyzer makes of a query whose bounds are probes: `{plan, zone, is_utc}`, the analyzed plan as text and
  the session's time zone; none where the engine prints no analyzed plan. Nothing is computed or read: a comparison with
  a probe is never true.
#}
{% macro analysed_query(probed) %}
  {% set plan = dbt_kinds.analysed_plan('select hour(current_timestamp()) as __kinds_zone, query.* from (\n' ~ probed
    ~ '\n) as query') %}
  {% if not plan %}
    {% do return(none) %}
  {% endif %}
  {% set zone = modules.re.search('Some\\(([^()]*)\\)\\) AS __kinds_zone', plan) %}
  {% set zone = zone.group(1) if zone is not none else 'unknown' %}
  {% do return({'plan': plan, 'zone': zone, 'is_utc': dbt_kinds.is_utc(zone)}) %}
{% endmacro %}


{#
  The type of what a bound is compared with, without its parameters; `void` for another bound, none if the plan does not
  show it. Spark turns a probe that is compared with a string into a plain null.
#}
{% macro compared_type(analysed, bound) %}
  {% set probe = modules.re.escape(dbt_kinds.probe_of(bound)) %}
  {% set cast = modules.re.search('cast\\(' ~ probe ~ ' as ([a-z_]+)', analysed.plan) %}
  {% if cast is not none %}
    {% do return(cast.group(1)) %}
  {% elif dbt_kinds.probe_of(bound) in analysed.plan %}
    {% do return('void') %}
  {% endif %}
  {# a long list of columns is cut short #}
  {% do return(none if ' more fields' in analysed.plan else 'string') %}
{% endmacro %}


{# Whether a column of that name is computed in the query, and not just read or renamed. A cut list of columns may hide
   it. #}
{% macro is_computed(analysed, name) %}
  {% for expression in modules.re.findall('(?i)(\\S+) AS ' ~ modules.re.escape(name) ~ '#[0-9]+', analysed.plan)
      if not dbt_kinds.matches('[\\[(]?[^\\s#()]+#[0-9]+L?', expression) %}
    {% do return(true) %}
  {% endfor %}
  {% do return(' more fields' in analysed.plan) %}
{% endmacro %}


{# Whether what a bound is compared with was just computed in the session's time zone, as `hour(ts)` is. #}
{% macro is_compared_locally(analysed, bound) %}
  {% do return(modules.re.search('Some\\([^()]*\\)(?:, (?:true|false))?\\) (?:<=>|>=|<=|<|>|=) (?:cast\\()?'
    ~ modules.re.escape(dbt_kinds.probe_of(bound)), analysed.plan) is not none) %}
{% endmacro %}


{#
  Whether a bound that is counted with or passed on is converted in the session's time zone: 1903 marks instants, 1904
  what has no zone.
#}
{% macro is_converted_locally(plan) %}
  {% set nested = namespace(pattern='[^()]') %}
  {% for _ in range(4) %}
    {% set nested.pattern = '(?:[^()]|\\(' ~ nested.pattern ~ '*\\))' %}
  {% endfor %}
  {% for word in ['cast', 'to_timestamp', 'unix_timestamp', 'to_unix_timestamp', 'to_date', 'date_format', 'date_trunc',
      'trunc', 'hour', 'minute', 'from_utc_timestamp', 'to_utc_timestamp'] if word ~ '(' in plan %}
    {% set pieces = plan.split(word ~ '(') %}
    {% for number in range(1, pieces | length) %}
      {% set call = modules.re.match('(' ~ nested.pattern ~ '*)\\)', pieces[number:] | join(word ~ '(')) %}
      {% set inside = call.group(1) if call is not none else '' %}
      {% set type = inside.split(' as ')[-1] %}
      {% if word == 'cast' and (('1903-' in inside and type in ['date', 'string', 'timestamp_ntz'])
          or ('1904-' in inside and type == 'timestamp')) %}
        {% do return(true) %}
      {% elif word != 'cast' and 'Some(' in inside
          and ('1903-' in inside or ('1904-' in inside
          and word in ['to_timestamp', 'unix_timestamp', 'to_unix_timestamp'])) %}
        {% do return(true) %}
      {% endif %}
    {% endfor %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}
