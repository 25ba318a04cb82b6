{#
  Refuses a query that filters by its window if keys that it does not return count as deleted. `sql` is the compiled
  query, none if unknown: then time variables are looked for in the model's source.
#}
{% macro check_deletes_are_seen(node, sql) %}
  {% set options = dbt_kinds.options_of(node) if execute and node.config.materialized in dbt_kinds.kinds() else none %}
  {% if options is none or not options.traits.has_merge_timeline or not options.invalidate_hard_deletes
      or options.batch_size or options.hard_deletes_from_filtered_query == 'allow' %}
    {% do return(none) %}
  {% elif sql is not none %}
    {% set bounds = modules.re.findall('/\*kinds:((?:source_)?(?:start|end)\w*)', sql) %}
  {% else %}
    {% set code = modules.re.sub('(?s)\{#.*?#\}', '', node.raw_code) %}
    {% set blocks = modules.re.findall('(?s)\{[{%].*?[%}]\}', code) | join(' ') %}
    {% set bounds = modules.re.findall('\\b((?:start|end)_(?:dt|dtntz|date|ds|ts|tstz|epoch|millis|hour)|window_of)\\b\s*\(', blocks) %}
  {% endif %}
  {% if bounds %}
    {% do dbt_kinds.fail(options.model,
      'invalidate_hard_deletes closes every key that the query does not return, and the query returns a part of the source: it uses '
      ~ bounds | unique | join(', ')
      ~ '; remove that filter, or set batch_size where each interval is a whole snapshot, or hard_deletes_from_filtered_query: allow') %}
  {% endif %}
{% endmacro %}
