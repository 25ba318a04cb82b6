{#
  The hash that ties a proof to its query, computed from a model's file: calls of config(), comment lines before the
  query, blank lines and spaces at line ends do not count. dbt_kinds/writers/query_hash.py gives the same. Pure.
#}
{% macro query_hash(code) %}
  {% set text = '\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"' %}
  {% set configuration = '(?s)\{[{%]-?\s*(?:do\s+)?config\s*\((?:[^\'"]|' ~ text ~ ')*?\)\s*-?[%}]\}' %}
  {% set lines = [] %}
  {% for line in modules.re.sub(configuration, '', code).splitlines()
      if line.strip() and (lines or not line.strip().startswith('--')) %}
    {% do lines.append(line.rstrip()) %}
  {% endfor %}
  {% do return(local_md5(lines | join('\n'))) %}
{% endmacro %}
