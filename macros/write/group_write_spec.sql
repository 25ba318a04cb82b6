{#
  For the kind `tracked`: see table_write_spec, whose columns are those of the query and the hash; plus `source_schema`,
  `source_columns` and `source_selected`, the same without the hash, `key_parts`, and `content_hash`, the SQL for a
  group's hash.
#}
{% macro group_write_spec(options, query_columns, existing, query, keys=[]) %}
  {% if dbt_kinds.find_column(query_columns, options.content_hash_name) is not none %}
    {% do dbt_kinds.fail(options.model,
      "the query has a column '" ~ options.content_hash_name
        ~ "', which this kind writes itself; leave it out, or set content_hash_name") %}
  {% endif %}
  {% for key in options.group_key if dbt_kinds.find_column(query_columns, key) is none %}
    {% do dbt_kinds.fail(options.model,
      "ColumnNotInOutput: group_key names '" ~ key ~ "', and the query has "
        ~ query_columns | map(attribute='name') | join(', ')
        ~ '; select it, or name another column') %}
  {% endfor %}
  {% set hash = {'name': options.content_hash_name, 'type': 'string'} %}
  {% set write_spec = dbt_kinds.table_write_spec(options, query_columns + [hash], existing, options.partition_by) %}
  {% set source = [] %}
  {% for column in write_spec.schema %}
    {% do source.append(column) if column.name | lower != hash.name | lower %}
  {% endfor %}
  {% set keys = [] %}
  {% for key in options.group_key %}
    {% set column = dbt_kinds.find_column(source, key) %}
    {% set found = dbt_kinds.incomparable(column.type) %}
    {% do dbt_kinds.fail(options.model,
      "group_key '" ~ key ~ "' is a " ~ column.type ~ ', and Spark cannot compare ' ~ found.what
        ~ '; name another column, or make ' ~ found.instead) if found is not none %}
    {% do keys.append(dbt_kinds.quoted(column.name)) %}
  {% endfor %}
  {% do return(dict(
    write_spec, writes_whole_table=existing is none, own_columns=[hash], source_schema=source,
    source_columns=dbt_kinds.quoted_names(source),
    source_selected=dbt_kinds.selected_columns(query_columns, source), key_parts=keys,
    hash_column=dbt_kinds.quoted(hash.name),
    content_hash=dbt_kinds.content_hash(source, options.group_key)
  )) %}
{% endmacro %}


{#
  SQL, an aggregate: the hash of a group, made of its number of rows and the sum of their hashes. Spark's hash skips
  NULL, so a flag for NULL is hashed with each value (xxhash64(1, null) is xxhash64(null, 1); measured). Columns are
  ordered by name. Pure.
#}
{% macro content_hash(columns, keys) %}
  {% set lower_keys, hashed, values = keys | map('lower') | list, {}, [] %}
  {% for quoted in dbt_kinds.quoted_names(columns) %}
    {% set column = columns[loop.index0] %}
    {% set value = dbt_kinds.hashable(quoted, dbt_kinds.parse_type(column.type))
      if '<' in column.type or column.type == 'variant' else quoted %}
    {% do hashed.update({column.name | lower: value ~ ', ' ~ quoted ~ ' is null'})
      if column.name | lower not in lower_keys %}
  {% endfor %}
  {% for name in hashed | list | sort %}
    {% do values.append(hashed[name]) %}
  {% endfor %}
  {% do return("concat(count(*), ':', cast(sum(cast(xxhash64(" ~ values | join(', ') | default('0', true)
    ~ ') as decimal(20, 0))) as string))') %}
{% endmacro %}


{# SQL: a value as something that Spark can compare. Pure. #}
{% macro compared_value(value, type) %}
  {% do return(dbt_kinds.hashable(value, type) if type.kind == 'truncated' or dbt_kinds._has_map(type) else value) %}
{% endmacro %}


{# SQL: a value as input for the hash. Nested values as JSON with the options that keep NULL fields and microseconds;
   maps as sorted lists (measured). Pure. #}
{% macro hashable(value, type) %}
  {% if type.kind == 'atomic' %}
    {% do return('to_json(' ~ value ~ ')' if type.text == 'variant' else value) %}
  {% elif type.kind == 'truncated' %}
    {% do return('to_json(struct(' ~ value ~ '))') %}
  {% endif %}
  {% do return('to_json(struct(' ~ dbt_kinds._without_maps(value, type, 0)
    ~ " as value), map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'))") %}
{% endmacro %}


{% macro _has_map(type) %}
  {% if type.kind == 'map' %}
    {% do return(true) %}
  {% elif type.kind == 'array' %}
    {% do return(dbt_kinds._has_map(type.element)) %}
  {% endif %}
  {% for field in type.get('fields', []) if dbt_kinds._has_map(field.type) %}
    {% do return(true) %}
  {% endfor %}
  {% do return(false) %}
{% endmacro %}


{% macro _without_maps(value, type, depth) %}
  {% set item = 'item_' ~ depth %}
  {% if not dbt_kinds._has_map(type) %}
    {% do return(value) %}
  {% elif type.kind == 'map' %}
    {% set entry = 'struct(' ~ item ~ '.key as key, ' ~ dbt_kinds._without_maps(item ~ '.value', type.value, depth + 1)
      ~ ' as value)' %}
    {% do return('array_sort(transform(map_entries(' ~ value ~ '), ' ~ item ~ ' -> ' ~ entry ~ '))') %}
  {% elif type.kind == 'array' %}
    {% do return('transform(' ~ value ~ ', ' ~ item ~ ' -> ' ~ dbt_kinds._without_maps(item, type.element, depth + 1)
      ~ ')') %}
  {% endif %}
  {% set fields = [] %}
  {% for field in type.fields %}
    {% set name = dbt_kinds.quoted(field.name) %}
    {% do fields.append(dbt_kinds._without_maps(value ~ '.' ~ name, field.type, depth + 1) ~ ' as ' ~ name) %}
  {% endfor %}
  {% do return('if(' ~ value ~ ' is null, null, struct(' ~ fields | join(', ') ~ '))') %}
{% endmacro %}
