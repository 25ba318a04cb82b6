{#
  What to write after `from` to read the store, or none if there is no store yet.

  A Hive text table gets a file with each append, and Spark reads it with one task per file: 1.1 s for 100 files, 6.7
  s for 1,000. Reading its folder as text takes 0.5 s for 1,000 (measured on Spark 3.5.9, 2 cores). `beside` includes
  what a compaction that was killed while putting rows in place has left in the folder beside it.
#}
{% macro store_source(beside=true) %}
  {% set store = dbt_kinds.find_store() %}
  {% if store is none %}
    {% do return(none) %}
  {% elif store.file_format == 'hive' %}
    {% do return(dbt_kinds._text_source(store.location ~ ('{,_compacted}' if beside else ''))) %}
  {% elif store.file_format == 'iceberg' %}
    {# a session caches an Iceberg table for half a minute; a lease must be read in its current state #}
    {% call statement('refresh_store') %}refresh table {{ dbt_kinds.store_table() }}{% endcall %}
  {% endif %}
  {% do return(dbt_kinds.store_table() | string) %}
{% endmacro %}


{# The description of the store, as describe_table returns it, or none if there is none yet. Looked up until it is
   found; pass `refresh` if others may have created it. Raises where convert_store ended between its renames. #}
{% macro find_store(refresh=false) %}
  {% set known = dbt_kinds.run_memory('store') %}
  {% if not known %}
    {% set store = dbt_kinds.store_table() %}
    {% if dbt_kinds.relation_type(store, refresh) is not none %}
      {% do known.update(dbt_kinds.describe_table(store)) %}
    {% elif dbt_kinds.relation_type(dbt_kinds.beside_store('before')) is not none %}
      {% do dbt_kinds.fail('the interval store', 'it is being converted, or convert_store was interrupted: '
        ~ 'then run convert_store again') %}
    {% endif %}
  {% endif %}
  {% do return(known or none) %}
{% endmacro %}


{# Lets the store be looked up again: it is another table now. #}
{% macro forget_store() %}
  {% do dbt_kinds.run_memory('store').clear() %}
{% endmacro %}


{#
  The rows of a Hive text table: fields separated by the character 1, NULL written as \N.
#}
{% macro _text_source(location) %}
  {% set source -%}
(
  select
  {%- for name, type in dbt_kinds.store_columns().items() %}
    {% set field = 'nullif(try_element_at(fields, ' ~ loop.index ~ "), concat(char(92), 'N'))" %}
    {{ field if type == 'string' else 'cast(' ~ field ~ ' as ' ~ type ~ ')' }} as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %}
  from (select split(value, char(1)) as fields from text.{{ dbt_kinds.quoted(location) }})
)
  {%- endset %}
  {% do return(source) %}
{% endmacro %}
