{#
  A stage of rows for a model's table, as SQL to read from. A stage is a Parquet table, into which Spark writes no date
  before 1582 and no timestamp before 1900 unless the session allows it (WRITE_ANCIENT_DATETIME; measured), and which a
  session may have moved to another calendar. Iceberg holds them as they are; so what is written to Iceberg is staged
  with its times as numbers. An Iceberg table as the stage would need no numbers, but each drop of one takes 0.2 s
  longer and leaves empty folders (measured).
#}
{% macro stage_rows(relation, write_spec, purpose, sql, columns, like=none) %}
  {% set like = like or dbt_kinds.empty_rows(columns) %}
  {% if write_spec.file_format != 'iceberg' or not dbt_kinds.has_times(columns | map(attribute='type') | join(' ')) %}
    {% do return(dbt_kinds.stage(relation, purpose, sql, like)) %}
  {% endif %}
  {% set numbered = dbt_kinds.mapped_columns(columns, {'date': 'unix_date', 'timestamp': 'unix_micros'}) | join(', ') %}
  {% set empty = 'select * from ' ~ like ~ ' where false' %}
  {# in a union the rows get the names and types of the columns, by position, as in an insert #}
  {% set rows = 'select ' ~ numbered ~ ' from (\n' ~ empty ~ '\nunion all\nselect * from (\n' ~ sql ~ '\n)\n)' %}
  {% set stage = dbt_kinds.stage(relation, purpose, rows, '(select ' ~ numbered ~ ' from (' ~ empty ~ '))') %}
  {% do return('(select ' ~ dbt_kinds.mapped_columns(columns,
    {'date': 'date_from_unix_date', 'timestamp': 'timestamp_micros'}) | join(', ') ~ ' from ' ~ stage ~ ')') %}
{% endmacro %}


{# Whether a type, or several in a text, may have dates or timestamps in it. Pure. #}
{% macro has_times(text) %}
  {% do return(modules.re.search('\\b(date|timestamp)\\b', text) is not none) %}
{% endmacro %}


{# SQL: each column with a function applied to the values of a type, at every depth: `functions` has the function's name
   by the type. Pure. #}
{% macro mapped_columns(columns, functions) %}
  {% set mapped = [] %}
  {% for quoted in dbt_kinds.quoted_names(columns) %}
    {% set type = columns[loop.index0].type %}
    {% set value = dbt_kinds._mapped_value(quoted, dbt_kinds.parse_type(type), functions, 1)
      if modules.re.search('date|timestamp', type) else quoted %}
    {% do mapped.append(quoted if value == quoted else value ~ ' as ' ~ quoted) %}
  {% endfor %}
  {% do return(mapped) %}
{% endmacro %}


{# `depth` numbers the variables of nested lambdas. #}
{% macro _mapped_value(value, type, functions, depth) %}
  {% set item = 'e' ~ depth %}
  {% if type.kind == 'atomic' %}
    {% do return(functions[type.text] ~ '(' ~ value ~ ')' if type.text in functions else value) %}
  {% elif not dbt_kinds.has_times(dbt_kinds.type_text(type)) %}
    {% do return(value) %}
  {% elif type.kind == 'array' %}
    {% do return('transform(' ~ value ~ ', ' ~ item ~ ' -> '
      ~ dbt_kinds._mapped_value(item, type.element, functions, depth + 1) ~ ')') %}
  {% elif type.kind == 'map' %}
    {% set entry = dbt_kinds._mapped_value(item ~ '.key', type.key, functions, depth + 1) ~ ', '
      ~ dbt_kinds._mapped_value(item ~ '.value', type.value, functions, depth + 1) %}
    {% do return('map_from_entries(transform(map_entries(' ~ value ~ '), ' ~ item ~ ' -> struct(' ~ entry ~ ')))') %}
  {% endif %}
  {% set fields = [] %}
  {% for field in type.fields %}
    {% do fields.append(dbt_kinds.text_literal(field.name) ~ ', '
      ~ dbt_kinds._mapped_value(value ~ '.' ~ dbt_kinds.quoted(field.name), field.type, functions, depth)) %}
  {% endfor %}
  {% do return('if(' ~ value ~ ' is null, null, named_struct(' ~ fields | join(', ') ~ '))') %}
{% endmacro %}
