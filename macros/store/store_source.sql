{#
  What to write behind `from` to read the store, or none where there is no store yet.

  A table of Hive text gets a file with each append, and Spark reads it with a task a file: 1.1 s for 100 files, 6.7 s
  for 1,000. Read by its folder, as text, it takes 0.5 s for 1,000 (measured on Spark 3.5.9, 2 cores).
#}
{% macro store_source() %}
  {% set store = dbt_kinds.find_store() %}
  {% if store is none %}
    {% do return(none) %}
  {% elif store.file_format == 'hive' %}
    {% set compacted = dbt_kinds.run_memory().compacted %}
    {% do return(dbt_kinds._text_source([store.location] + ([compacted.location] if compacted is not none else []))) %}
  {% elif store.file_format == 'iceberg' %}
    {# a session keeps an Iceberg table as it knew it for half a minute; a lease has to be read as it is #}
    {% call statement('refresh_store') %}refresh table {{ dbt_kinds.store_table() }}{% endcall %}
  {% endif %}
  {% do return(dbt_kinds.store_table() | string) %}
{% endmacro %}


{# What the store is, as describe_table tells it, or none where there is none yet. Looked up once a run, and afresh for a lease. #}
{% macro find_store(afresh=false) %}
  {% set memory = dbt_kinds.run_memory() %}
  {% if memory.store is none or afresh %}
    {% set store = dbt_kinds.store_table() %}
    {% set found = dbt_kinds.tables_of(store, store.identifier ~ '*') if adapter.check_schema_exists(store.database, store.schema) else {} %}
    {% for name in ['store', 'compacted'] %}
      {% set identifier = store.identifier ~ ('_compacted' if name == 'compacted' else '') %}
      {% if identifier not in found %}
        {% do memory.update({name: none}) %}
      {% elif memory[name] is none %}
        {% do memory.update({name: dbt_kinds.describe_table(store.incorporate(path={'identifier': identifier}))}) %}
      {% endif %}
    {% endfor %}
  {% endif %}
  {% do return(memory.store) %}
{% endmacro %}


{# The rows of a Hive text table: fields separated by the character 1, NULL written as \N. #}
{% macro _text_source(locations) %}
  {% set source -%}
(
  select
  {%- for name, type in dbt_kinds.store_columns().items() %}
    {% set field = 'nullif(try_element_at(fields, ' ~ loop.index ~ "), concat(char(92), 'N'))" %}
    {{ field if type == 'string' else 'cast(' ~ field ~ ' as ' ~ type ~ ')' }} as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %}
  from (
  {%- for location in locations %}
    select split(value, char(1)) as fields from text.`{{ location }}`{{ ' union all' if not loop.last }}
  {%- endfor %}
  )
)
  {%- endset %}
  {% do return(source) %}
{% endmacro %}
