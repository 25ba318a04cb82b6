{#
  The facts about a table except its columns: `{partitioning, file_format, is_view, location}`, and `is_in_hive` for an
  Iceberg table, from what dbt read when the run began, if that is sufficient;
  else, and with `refresh`, what describe_table returns, including the columns.
#}
{% macro table_facts(relation, refresh=false) %}
  {% set cached = none if refresh else load_cached_relation(relation) %}
  {% set facts = dbt_kinds.read_information(cached.information) if cached is not none and cached.information
    else none %}
  {% do return(facts if facts is not none else dbt_kinds.describe_table(relation)) %}
{% endmacro %}


{#
  The same from the output of `show table extended`; none if that is not sufficient. Iceberg keeps the schema and
  partitioning of its tables in the properties of a Hive catalog. Pure.
#}
{% macro read_information(information) %}
  {% if '\nSchema: ' not in information | string %}
    {% do return(none) %}
  {% endif %}
  {% set head = (information | string).split('\nSchema: ')[0] %}
  {% set provider = dbt_kinds._stated(head, 'Provider') %}
  {% set facts = {'partitioning': [], 'file_format': provider, 'is_view': false,
    'location': dbt_kinds._stated(head, 'Location')} %}
  {% if dbt_kinds._stated(head, 'Type') == 'VIEW' %}
    {% do return(dict(facts, is_view=true)) %}
  {% elif dbt_kinds.is_file_format(provider) %}
    {% set columns = dbt_kinds._stated(head, 'Partition Columns') %}
    {% for name in modules.re.findall('`(?:[^`]|``)*`', columns or '') %}
      {% do facts.partitioning.append(dbt_kinds.partition_field(dbt_kinds.unquoted(name))) %}
    {% endfor %}
    {% do return(facts) %}
  {% elif 'table_type=ICEBERG' in head and 'current-schema={' in head %}
    {% set fields = dbt_kinds._iceberg_partitioning(head) %}
    {% do return(dict(facts, file_format='iceberg', partitioning=fields, is_in_hive=true) if fields is not none
      else none) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{% macro _stated(information, name) %}
  {% set found = modules.re.search('(?m)^' ~ name ~ ': (.*)$', information) %}
  {% do return(found.group(1) | trim if found is not none else none) %}
{% endmacro %}


{# Transforms such as `days(ts)`, as Spark writes them; none if one cannot be parsed. #}
{% macro _iceberg_partitioning(properties) %}
  {% set spec = modules.re.search('default-partition-spec=[{]"spec-id":[0-9]+,"fields":(\[.*?\])[}]', properties) %}
  {% set names = dict(modules.re.findall('"id":([0-9]+),"name":"(\w+)"', properties)) %}
  {% set functions = {'year': 'years', 'month': 'months', 'day': 'days', 'hour': 'hours'} %}
  {% set partitioning = [] %}
  {% for field in (fromjson(spec.group(1)) if spec is not none else []) %}
    {% set name = names.get(field['source-id'] | string) %}
    {% if name is none or (field.transform != 'identity' and field.transform not in functions) %}
      {% do return(none) %}
    {% endif %}
    {% do partitioning.append(name if field.transform == 'identity'
      else functions[field.transform] ~ '(' ~ name ~ ')') %}
  {% endfor %}
  {% do return(partitioning) %}
{% endmacro %}
