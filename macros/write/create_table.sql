{#
  Creates a table from a query, replacing an existing one: in one commit on Iceberg and Delta. A Parquet or ORC table is
  created first and filled then: a `create table … as select` that is killed leaves files without a table, and Spark
  creates none over them (LOCATION_ALREADY_EXISTS, measured). A Delta table with the constraints of a contract is, too:
  they are there before the first row.
#}
{% macro create_table(relation, existing, file_format, partitioning, sql, columns) %}
  {% if not dbt_kinds.is_file_format(file_format) and not dbt_kinds.declares_constraints(file_format) %}
    {% do dbt_kinds._create(relation, existing, file_format, partitioning, sql) %}
  {% else %}
    {% do dbt_kinds.create_empty_table(relation, existing, file_format, partitioning, columns) %}
    {% do dbt_kinds.fill_table(relation, sql,
      dbt_kinds.partition_columns_last(columns, dbt_kinds.quoted_names(partitioning))) %}
  {% endif %}
{% endmacro %}


{# Inserts the rows of a query into a table that has its columns in this order. #}
{% macro fill_table(relation, sql, columns) %}
  {% call statement('fill_table') %}
insert into {{ relation }}
{{ dbt_kinds.filtered_query(sql, 'true', dbt_kinds.quoted_names(columns)) }}
  {% endcall %}
{% endmacro %}


{#
  Creates a table without rows from described columns: a query would be evaluated, even under `where false`, if it reads
  literals and holds something that is not deterministic (measured). A location of the user's choice may hold files, and
  Spark refuses those only if there is a query, here one without rows.
#}
{% macro create_empty_table(relation, existing, file_format, partitioning, columns) %}
  {% set is_over_remains = dbt_kinds._may_have_remains(relation, file_format, existing) %}
  {% set with_query = (dbt_kinds.is_file_format(file_format) and dbt_kinds.location_of_table())
    or (is_over_remains and dbt_kinds._are_told_by_a_query(columns, file_format)) %}
  {% do dbt_kinds._remove_remains(relation) if is_over_remains and not with_query %}
  {% do dbt_kinds._create(relation, existing, file_format, partitioning,
    dbt_kinds.no_rows(columns) if with_query else none, none if with_query else columns) %}
{% endmacro %}


{#
  Whether a run that was killed may have left a folder where a table is to be created: Delta commits its first version
  before the metastore knows the table, and then creates none over it (DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION), but
  for `create or replace … as select` (measured on 3.3.3). That would replace a table that somebody else has just made,
  too, so it is sent only if another run had claimed the table: who was killed had. A managed table of Databricks has a
  folder of its own, and what lies at a location of the user's choice may be somebody's table.
#}
{% macro _may_have_remains(relation, file_format, existing) %}
  {% do return(file_format == 'delta' and existing is none and adapter.type() == 'spark'
    and not dbt_kinds.location_of_table() and dbt_kinds.was_claimed_before(relation)) %}
{% endmacro %}


{# Whether a query without rows makes a Delta table with these columns, just as they would be defined. #}
{% macro _are_told_by_a_query(columns, file_format) %}
  {% set described = dbt_kinds.with_descriptions(columns, file_format) %}
  {% do return(not dbt_kinds.declares_constraints(file_format) and described | selectattr('comment') | list == []
    and not dbt_kinds.matches('[\\s\\S]*char[(][\\s\\S]*', columns | map(attribute='type') | join(' '))) %}
{% endmacro %}


{# A table over what is left, and it goes with its folder: nothing of it may be taken for the model's. #}
{% macro _remove_remains(relation) %}
  {% call statement('take_remains') %}
create or replace table {{ relation }} using delta as select 1 as remains
  {% endcall %}
  {% do dbt_kinds.drop_table(relation) %}
{% endmacro %}


{# The statement: with a query, or with columns. #}
{% macro _create(relation, existing, file_format, partitioning, sql, columns=none) %}
  {% set replace_in_place = dbt_kinds.supports_snapshots(file_format) and existing is not none
    and existing.file_format == file_format
    and not existing.get('has_to_be_dropped') %}
  {% set takes_remains = columns is none and dbt_kinds._may_have_remains(relation, file_format, existing) %}
  {% if existing is not none and existing.is_view %}
    {% call statement('drop_view') %}drop view if exists {{ relation }}{% endcall %}
  {% elif existing is not none and not replace_in_place %}
    {% do dbt_kinds.drop_table(relation) %}
  {% endif %}
  {% set described = dbt_kinds.with_descriptions(columns, file_format) if columns is not none else none %}
  {% set not_null = dbt_kinds.columns_without_null()
    if columns is not none and dbt_kinds.declares_constraints(file_format) else [] %}
  {% call statement('create_table') %}
create {{ 'or replace ' if replace_in_place or takes_remains }}table {{ relation }}
  {{ dbt_kinds.defined_columns(described, not_null) if columns is not none }}
using {{ file_format }}
{{ options_clause() }}
{% if partitioning -%}
partitioned by ({{ dbt_kinds.partition_fields(partitioning) | join(', ') }})
{%- endif %}
{{ dbt_kinds.liquid_clustering(model) }}
{{ clustered_cols(label='clustered by') }}
{{ dbt_kinds.location_of_table() }}
{{ dbt_kinds.described_table() }}
{{ tblproperties_clause() }}
{% if columns is none %}as {{ sql }}{% endif %}
  {% endcall %}
  {% do dbt_kinds.cache_table(relation) %}
  {% do alter_table_add_constraints(dbt_kinds.quoted_path(relation), model.constraints)
    if columns is not none and dbt_kinds.declares_constraints(file_format) %}
{% endmacro %}


{# SQL: the location that the user chose, or nothing. The macro of dbt-databricks wants what its own materializations
   give it. #}
{% macro location_of_table() %}
  {% do return((location_clause(adapter.build_catalog_relation(config.model)) if adapter.type() == 'databricks'
    else location_clause()) | trim) %}
{% endmacro %}


{#
  Whether a new table gets the constraints of the model's contract when it is created. Delta on Spark takes `not null`
  there only: `alter table … set not null`, which dbt-spark sends, is refused for a nullable column (measured on 3.3.3
  and 4.3.1).
#}
{% macro declares_constraints(file_format) %}
  {% do return(file_format == 'delta' and adapter.type() == 'spark' and config.get('contract').enforced == true
    and (model.constraints != [] or dbt_kinds.columns_without_null() != [])) %}
{% endmacro %}


{# The columns that the contract declares as not_null, in lower case. #}
{% macro columns_without_null() %}
  {% set names = [] %}
  {% for column in model.columns.values() %}
    {% do names.append(column.name | lower) if column.constraints | selectattr('type', 'eq', 'not_null') | list %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# SQL: columns as a `create table` defines them, with the comments that they have; `without_null` has lower-case names.
   Pure. #}
{% macro defined_columns(columns, without_null=[]) %}
  {% set defined = [] %}
  {% for quoted in dbt_kinds.quoted_names(columns) %}
    {% set column = columns[loop.index0] %}
    {% do defined.append('\n  ' ~ quoted ~ ' '
      ~ dbt_kinds.sql_type(column.type)
      ~ (' not null' if column.name | lower in without_null else '')
      ~ (' comment ' ~ dbt_kinds.text_literal(column.comment) if column.get('comment') else '')) %}
  {% endfor %}
  {% do return('(' ~ defined | join(',') ~ '\n)') %}
{% endmacro %}


{# SQL: a query with these columns and no rows, of which nothing is evaluated. Pure. #}
{% macro no_rows(columns) %}
  {% do return(dbt_kinds.filtered_query(dbt_kinds.empty_rows(columns)[1:-1], 'false')) %}
{% endmacro %}


{# Quoted names, and functions such as days(ts) unchanged. Pure. #}
{% macro partition_fields(partitioning) %}
  {% set fields = [] %}
  {% for field in partitioning %}
    {% do fields.append(field | trim if dbt_kinds.is_partition_function(field)
      else dbt_kinds.quoted(dbt_kinds.unquoted(field))) %}
  {% endfor %}
  {% do return(fields) %}
{% endmacro %}


{# Whether a field is a function of columns, such as days(ts), and not a name. Pure. #}
{% macro is_partition_function(field) %}
  {% do return(dbt_kinds.matches('\\w+\\s*[(][\\s\\S]*[)]', field | trim)) %}
{% endmacro %}
