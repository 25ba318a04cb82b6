{# An option as it is written, checked and converted by its row of option_table. #}
{% macro read_option(model, name, written, row) %}
  {% if row.type == 'boolean' %}
    {% do return(dbt_kinds.true_or_false(model, name, written)) %}
  {% elif row.type == 'choice' %}
    {% do return(dbt_kinds.one_of(model, name, written, row['values'])) %}
  {% elif row.type == 'number' %}
    {% do return(dbt_kinds.whole_number(model, name, written, row.least)) %}
  {% elif row.type == 'instant' %}
    {% do return(dbt_kinds.parse_instant(model, name, written)) %}
  {% elif row.type == 'time zone' %}
    {% do return(dbt_kinds.check_time_zone(model, written)) %}
  {% elif row.type == 'column' %}
    {% do return(dbt_kinds._column_name(model, name, written)) %}
  {% endif %}
  {% do return(written) %}
{% endmacro %}


{# The name of one column, without backticks. #}
{% macro _column_name(model, name, written) %}
  {% set column = dbt_kinds.unquoted(written) if written is string and written.strip() != '``' else '' %}
  {% if not column %}
    {% set example = name[:-5] if name.endswith('_name') else 'updated_at' %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ written ~ "' is not a column; write its name, such as " ~ example) %}
  {% endif %}
  {% do return(column) %}
{% endmacro %}


{% macro whole_number(model, name, value, least) %}
  {% if not dbt_kinds.matches('\d+', value | string) or value | int < least %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is not a whole number of " ~ least ~ ' or more') %}
  {% endif %}
  {% do return(value | int) %}
{% endmacro %}


{% macro true_or_false(model, name, value) %}
  {% if value | string | lower not in ['true', 'false'] %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is neither true nor false") %}
  {% endif %}
  {% do return(value | string | lower == 'true') %}
{% endmacro %}


{% macro one_of(model, name, value, allowed) %}
  {% if value | string | lower not in allowed %}
    {% do dbt_kinds.fail(model, name ~ " '" ~ value ~ "' is not one of " ~ allowed | join(', ')) %}
  {% endif %}
  {% do return(value | string | lower) %}
{% endmacro %}
