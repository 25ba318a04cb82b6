{#
  SQL beside a model's query, such as a hook, with its bounds in the types of what they are compared with, as
  typed_query does it for the query. `part` is what messages call it; `statement` is SQL that Spark can explain and that
  contains the texts in their order. In a session in UTC, no bound is refused that means what it says. Asks Spark only
  if there are bounds; a text whose comparisons Spark does not tell stays as it is written, which is said where the
  session's time zone matters.
#}
{% macro typed_parts(options, part, texts, statement) %}
  {% set probe = dbt_kinds.probed_query(statement) %}
  {% if not probe.bounds %}
    {% do return(texts) %}
  {% endif %}
  {% set analysed = dbt_kinds.analysed_statement(probe.sql) %}
  {% if analysed is none %}
    {% do dbt_kinds._say_what_is_not_followed(options, part, probe.bounds) %}
    {% do return(texts) %}
  {% endif %}
  {% set names = dbt_kinds.typed_names(dict(options, part=part), probe.bounds, none, analysed, none) %}
  {% set typed, done = [], namespace(bounds=0) %}
  {% for text in texts %}
    {% set number = modules.re.findall(dbt_kinds.sentinel_pattern(), text) | length %}
    {% do typed.append(dbt_kinds.with_bounds(text, names[done.bounds:done.bounds + number])) %}
    {% set done.bounds = done.bounds + number %}
  {% endfor %}
  {% do return(typed) %}
{% endmacro %}


{#
  What Spark's analyzer makes of a statement whose bounds are probes, as analysed_query returns it; none for one whose
  plan does not show all that is compared, or that cannot be analyzed yet.
  The plan of a merge lacks its conditions, and Spark explains no `call` and no `alter table … drop partition`
  (measured). Nothing is executed.
#}
{% macro analysed_statement(probed) %}
  {% if not modules.re.match('(?i)\\s*(?:select|with|insert|delete|update|create)\\b',
      dbt_kinds.without_comments(probed)) %}
    {% do return(none) %}
  {% endif %}
  {% set plan = dbt_kinds.analysed_plan(probed) %}
  {# of a statement that reads what is not there yet #}
  {% if not plan or modules.re.match('\\s*[\\w.]+Exception\\b', plan) %}
    {% do return(none) %}
  {% endif %}
  {% do return({'plan': plan, 'zone': dbt_kinds.session_zone(),
    'is_utc': dbt_kinds.is_utc(dbt_kinds.session_zone())}) %}
{% endmacro %}


{# Logs which time variables stay as they are written, if the session's time zone may make other instants of them. #}
{% macro _say_what_is_not_followed(options, part, bounds) %}
  {% set names = [] %}
  {% for bound in bounds if bound.name.split(' ')[0].split('_')[-1] not in ['epoch', 'millis'] %}
    {% do names.append(bound.name.split(' ')[0]) %}
  {% endfor %}
  {% if names and not dbt_kinds.is_utc(dbt_kinds.session_zone()) %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': Spark does not tell what ' ~ part ~ ' compares with '
      ~ names | unique | join(' and ') ~ ": left as written, in a session in "
      ~ dbt_kinds.session_zone() ~ '; compare start_dt and end_dt with timestamps, start_date and end_date with dates',
      info=true) %}
  {% endif %}
{% endmacro %}
