{# Creates a table from a query, replacing an existing one. #}
{% macro create_table(relation, existing, file_format, partitioning, sql) %}
  {% set replace_in_place = dbt_kinds.has_commits(file_format) and existing is not none and existing.file_format == file_format
    and not existing.get('has_to_be_dropped') %}
  {% if existing is not none and existing.is_view %}
    {% call statement('drop_view') %}drop view if exists {{ relation }}{% endcall %}
  {% elif existing is not none and not replace_in_place %}
    {# without purge, Iceberg's session catalog leaves the files of a Parquet table, and the next create fails (measured) #}
    {% call statement('drop_table') %}drop table if exists {{ relation }} purge{% endcall %}
  {% endif %}
  {% call statement('create_table') %}
create {{ 'or replace ' if replace_in_place }}table {{ relation }}
using {{ file_format }}
{{ options_clause() }}
{% if partitioning -%}
partitioned by ({{ dbt_kinds.partition_fields(partitioning) | join(', ') }})
{%- endif %}
{{ clustered_cols(label='clustered by') }}
{{ location_clause() }}
{{ comment_clause() }}
{{ tblproperties_clause() }}
as {{ sql }}
  {% endcall %}
  {% do dbt_kinds.note_table(relation) %}
{% endmacro %}


{# Quoted names, and functions such as days(ts) unchanged. Pure. #}
{% macro partition_fields(partitioning) %}
  {% set fields = [] %}
  {% for field in partitioning %}
    {% do fields.append(field | trim if dbt_kinds.is_partition_function(field) else dbt_kinds.quoted(dbt_kinds.unquoted(field))) %}
  {% endfor %}
  {% do return(fields) %}
{% endmacro %}


{# Whether a field is a function of columns, such as days(ts), and not a name. Pure. #}
{% macro is_partition_function(field) %}
  {% do return(dbt_kinds.matches('\\w+\\s*[(][\\s\\S]*[)]', field | trim)) %}
{% endmacro %}
