{#
  A hash of everything that decides which rows a model writes: the query and the options that shape the write, with
  symbolic time variables. Blank lines and spaces at line ends do not count; for kinds driven by changes, neither do
  comments and white space. Pure.
#}
{% macro model_hash(options, sql) %}
  {% set query = dbt_kinds.symbolic_query(dbt_kinds.plain_relations(options.get('unique_id'), sql)) %}
  {% set query = dbt_kinds.canonical_sql(query) if options.traits.is_change_driven else query %}
  {% set lines = [] %}
  {% for line in query.splitlines() if line.strip() %}
    {% do lines.append(line.rstrip()) %}
  {% endfor %}
  {% set time_column = options.time_column or {} %}
  {% set decisive = [
    options.kind, time_column.get('column'), time_column.get('format'), options.unit.name, options.get('unique_key'),
    options.get('when_matched'),
    options.get('merge_filter'), options.get('order_by'), options.get('insert_only'), options.get('insert_overwrite'),
  ] %}
  {% if options.get('order_directions', []) | reject('eq', 'desc nulls last') | list %}
    {% set decisive = decisive + [options.order_directions] %}
  {% endif %}
  {% if options.traits.accumulates %}
    {% set decisive = decisive + [options.combine] %}
  {% endif %}
  {% if options.traits.has_merge_timeline %}
    {% set decisive = decisive + [options.updated_at_name, options.columns, options.valid_from_name,
      options.valid_to_name, options.time_data_type] %}
  {% endif %}
  {% if options.traits.is_change_driven %}
    {% set decisive = decisive + [options.partition_by, options.file_format, options.get('group_key'),
      options.get('content_hash_name'), options.get('capture')] %}
  {% endif %}
  {% if options.get('duplicate_keys') == 'replace_all' %}
    {% set decisive = decisive + ['replace_all'] %}
  {% endif %}
  {% if options.get('cursor') is not none %}
    {% set decisive = decisive + [options.cursor] %}
  {% endif %}
  {% do return(local_md5(dbt_kinds.symbolic_query(dbt_kinds.json_text(decisive)) ~ '\n' ~ lines | join('\n'))) %}
{% endmacro %}
