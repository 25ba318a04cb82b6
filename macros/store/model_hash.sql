{#
  A hash of what decides the rows a model writes: the query and the options that shape the write, with their time variables
  symbolic. Blank lines and spaces at line ends do not count. Pure.
#}
{% macro model_hash(options, sql) %}
  {% set lines = [] %}
  {% for line in dbt_kinds.symbolic_query(dbt_kinds.plain_relations(options.get('unique_id'), sql)).splitlines() if line.strip() %}
    {% do lines.append(line.rstrip()) %}
  {% endfor %}
  {% set time_column = options.time_column or {} %}
  {% set decisive = [
    options.kind, time_column.get('column'), time_column.get('format'), options.unit.name, options.get('unique_key'), options.get('when_matched'),
    options.get('merge_filter'), options.get('order_by'), options.get('insert_only'), options.get('insert_overwrite'),
  ] %}
  {% if dbt_kinds.accumulates(options) %}
    {% set decisive = decisive + [options.combine] %}
  {% endif %}
  {% if dbt_kinds.keeps_history(options) %}
    {% set decisive = decisive + [options.updated_at_name, options.columns, options.valid_from_name, options.valid_to_name, options.time_data_type] %}
  {% endif %}
  {% do return(local_md5(dbt_kinds.symbolic_query(dbt_kinds.json_text(decisive)) ~ '\n' ~ lines | join('\n'))) %}
{% endmacro %}
