{# The option that a name was probably meant to be (but `event_type` is not a misspelt `event_time`). #}
{% macro nearest_option(name, table) %}
  {% set meant = dbt_kinds.nearest_name(name, table | list) %}
  {% if meant == 'event_time' and name | lower | replace('_', '') | replace('-', '') != 'eventtime' %}
    {% do return(dbt_kinds.nearest_name(name, table | reject('eq', 'event_time') | list)) %}
  {% endif %}
  {% do return(meant) %}
{% endmacro %}


{# What dbt and dbt-spark call their own. Nearly every model has some of these, and looking for the nearest name takes
   milliseconds. #}
{% macro options_of_dbt() %}
  {% do return([
    'materialized', 'meta', 'tags', 'enabled', 'schema', 'alias', 'database', 'incremental_strategy', 'pre-hook',
    'post-hook',
    'pre_hook', 'post_hook', 'persist_docs', 'grants', 'contract', 'access', 'group', 'docs', 'full_refresh',
    'file_format',
    'location_root', 'clustered_by', 'buckets', 'tblproperties', 'sql_header', 'concurrent_batches',
  ]) %}
{% endmacro %}


{# The name that a misspelt one was probably meant to be: equal except for case, `_` and `-`, or, for names of at least
   that many letters, within two edits. Pure. #}
{% macro nearest_name(name, names, letters=8) %}
  {% set plain = name | lower | replace('_', '') | replace('-', '') %}
  {# two edits leave at least one of three parts unchanged: that is checked first, because computing the distance of
     each pair takes milliseconds #}
  {% set third = plain | length // 3 %}
  {% set parts = [plain[:third], plain[third:2 * third], plain[2 * third:]] %}
  {% for other in names %}
    {% set plain_other = other | replace('_', '') %}
    {% if plain == plain_other %}
      {% do return(other) %}
    {% elif plain_other | length >= letters and (plain | length - plain_other | length) | abs <= 2
        and (parts[0] in plain_other or parts[1] in plain_other or parts[2] in plain_other)
        and dbt_kinds._edits_between(plain, plain_other) <= 2 %}
      {% do return(other) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# The Levenshtein distance. #}
{% macro _edits_between(left, right) %}
  {% set rows = namespace(last=range(right | length + 1) | list) %}
  {% for letter in left %}
    {% set row = [loop.index] %}
    {% for other in right %}
      {% do row.append([row[-1] + 1, rows.last[loop.index] + 1, rows.last[loop.index0] + (0 if letter == other else 1)]
        | min) %}
    {% endfor %}
    {% set rows.last = row %}
  {% endfor %}
  {% do return(rows.last[-1]) %}
{% endmacro %}
