{# Whether a regular expression matches a whole string: dbt 2.0 has no re.fullmatch. Pure. #}
{% macro matches(pattern, text) %}
  {% do return(modules.re.match('(?:' ~ pattern ~ ')(?![\\s\\S])', text) is not none) %}
{% endmacro %}


{# The match, for its groups, or none. Pure. #}
{% macro full_match(pattern, text) %}
  {% do return(modules.re.match('(?:' ~ pattern ~ ')(?![\\s\\S])', text)) %}
{% endmacro %}
