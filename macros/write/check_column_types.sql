{# Refuses a query whose table could not be created because its format cannot hold the type of a column. #}
{% macro check_column_types(options, columns) %}
  {% set unstorable = {} %}
  {% for column in columns %}
    {% do unstorable.update({column.type: dbt_kinds.unstorable_type(options.file_format, column.type)})
      if column.type not in unstorable %}
    {% set type = unstorable[column.type] %}
    {% if type is not none %}
      {% set whole = '' if type == column.type else ', within ' ~ column.type %}
      {% do dbt_kinds.fail(options.model,
        "the column '" ~ column.name ~ "' of the query is "
          ~ ('a null without a type' if type == 'void' else 'of type ' ~ type) ~ whole ~ ', which no '
          ~ options.file_format ~ ' table can hold; '
          ~ ('give it one: cast(null as …)' if type == 'void'
        else 'make a number or a text of it, such as cast(… as string)')) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# The first type within a type that tables of a format cannot hold, or none: void, except in Delta; of intervals,
   Parquet and ORC hold those of one kind, as `interval day to second`. Pure. #}
{% macro unstorable_type(file_format, text) %}
  {% for type in dbt_kinds._atomic_types(dbt_kinds.parse_type(text)) %}
    {% set is_interval = type == 'interval'
      or (type.startswith('interval ') and dbt_kinds.supports_snapshots(file_format)) %}
    {% if is_interval or (type == 'void' and file_format != 'delta') %}
      {% do return(type) %}
    {% endif %}
  {% endfor %}
  {% do return(none) %}
{% endmacro %}


{# The texts of the types within a type that have none within themselves. #}
{% macro _atomic_types(type) %}
  {% if type.kind == 'atomic' %}
    {% do return([type.text]) %}
  {% endif %}
  {% set found = [] %}
  {% for part in dbt_kinds._inner_types(type) %}{% do found.extend(dbt_kinds._atomic_types(part)) %}{% endfor %}
  {% do return(found) %}
{% endmacro %}


{#
  Refuses fields of structs whose names a Hive catalog does not give back. It takes an Iceberg table with a field `x:y`
  or `a b`, but then `show table extended` fails for the whole schema, and with it every command of dbt (measured); for
  Parquet and ORC it refuses `,`, `:` and `;` itself. Asks Spark for the catalog only if there is such a name.
#}
{% macro check_field_names(options, columns) %}
  {% for column in columns if 'struct<' in column.type %}
    {% for name in dbt_kinds._field_names(dbt_kinds.parse_type(column.type))
        if dbt_kinds._is_lost_in_hive(options.file_format, name) and dbt_kinds._is_hive_catalog() %}
      {% do dbt_kinds.fail(options.model,
        "the column '" ~ column.name ~ "' of the query has a field '" ~ name
          ~ "', and a Hive catalog cannot give the name back, so that dbt could not list the schema of "
          ~ options.relation ~ ' any more; rename the field in the query, with letters, digits and underscores only') %}
    {% endfor %}
  {% endfor %}
{% endmacro %}


{% macro _is_lost_in_hive(file_format, name) %}
  {% do return((modules.re.search('[,:;]', name) is not none) if dbt_kinds.is_file_format(file_format)
    else not dbt_kinds.matches('[A-Za-z0-9_]*[A-Za-z_][A-Za-z0-9_]*', name)) %}
{% endmacro %}


{# Whether tables go into Spark's own catalog, and that is Hive's, for Iceberg tables, too. #}
{% macro _is_hive_catalog() %}
  {% if adapter.type() != 'spark' or run_query('select current_catalog()').rows[0][0] != 'spark_catalog' %}
    {% do return(false) %}
  {% endif %}
  {% do return(run_query('set spark.sql.catalog.spark_catalog.type').rows[0][1] | string | lower
    in ['hive', '<undefined>', 'none']) %}
{% endmacro %}


{# The names of the fields within a type, at every depth. #}
{% macro _field_names(type) %}
  {% set found = type.get('fields', []) | map(attribute='name') | list %}
  {% for part in dbt_kinds._inner_types(type) %}{% do found.extend(dbt_kinds._field_names(part)) %}{% endfor %}
  {% do return(found) %}
{% endmacro %}


{% macro _inner_types(type) %}
  {% do return([type.get('element'), type.get('key'), type.get('value')] | select | list
    + type.get('fields', []) | map(attribute='type') | list) %}
{% endmacro %}
