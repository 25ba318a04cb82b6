{#
  Overrides dbt-spark's loading of seeds in projects whose `dispatch:` names dbt_kinds: writes values as literals. In an
  embedded session dbt-spark pastes values into the statement, which an apostrophe breaks, and writes an empty value as
  the string None.
#}
{% macro spark__load_csv_rows(model, agate_table) %}
  {% set given_types, types, statements = model['config'].get('column_types', {}), [], [] %}
  {% for name in agate_table.column_names %}
    {% do types.append(given_types.get(name, adapter.convert_type(agate_table, loop.index0))) %}
  {% endfor %}
  {% for chunk in agate_table.rows | batch(get_batch_size()) %}
    {% set rows = [] %}
    {% for row in chunk %}
      {% set values = [] %}
      {% for value in row %}
        {% do values.append('cast(' ~ (value | string if value is number else dbt_kinds.text_literal(value)) ~ ' as '
          ~ types[loop.index0] ~ ')') %}
      {% endfor %}
      {% do rows.append('(' ~ values | join(', ') ~ ')') %}
    {% endfor %}
    {% do statements.append('insert into ' ~ this.render() ~ ' values\n' ~ rows | join(',\n')) %}
    {% do adapter.add_query(statements[-1], abridge_sql_log=true) %}
  {% endfor %}
  {% do return(statements[0]) %}
{% endmacro %}


{# As drop_relation: dbt-databricks has its own. #}
{% macro databricks__load_csv_rows(model, agate_table) %}
  {% do return(dbt.databricks__load_csv_rows(model, agate_table)) %}
{% endmacro %}
