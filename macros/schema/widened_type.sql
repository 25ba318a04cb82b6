{# The smallest parsed type that both fit into, or none. Fields keep their order; those that only the query has come
   last. #}
{% macro widened_type(stored, written) %}
  {% if stored.kind != written.kind or stored.kind in ['atomic', 'truncated'] %}
    {% do return(dbt_kinds._widened_atomic(stored, written)) %}
  {% elif stored.kind == 'array' %}
    {% set element = dbt_kinds.widened_type(stored.element, written.element) %}
    {% do return({'kind': 'array', 'element': element} if element is not none else none) %}
  {% elif stored.kind == 'map' %}
    {% set key, value = dbt_kinds.widened_type(stored.key, written.key),
      dbt_kinds.widened_type(stored.value, written.value) %}
    {% do return({'kind': 'map', 'key': key, 'value': value} if key is not none and value is not none else none) %}
  {% endif %}
  {% set fields = [] %}
  {% for field in stored.fields %}
    {% set match = dbt_kinds.find_column(written.fields, field.name) %}
    {% set type = field.type if match is none else dbt_kinds.widened_type(field.type, match.type) %}
    {% if type is none %}
      {% do return(none) %}
    {% endif %}
    {% do fields.append({'name': field.name, 'type': type}) %}
  {% endfor %}
  {% for field in written.fields if dbt_kinds.find_column(stored.fields, field.name) is none %}
    {% do fields.append(field) %}
  {% endfor %}
  {% do return({'kind': 'struct', 'fields': fields}) %}
{% endmacro %}


{% macro _widened_atomic(stored, written) %}
  {% if dbt_kinds.fits_into(written, stored) %}
    {% do return(stored) %}
  {% elif dbt_kinds.fits_into(stored, written) %}
    {% do return(written) %}
  {% elif stored.kind != 'atomic' or written.kind != 'atomic' %}
    {% do return(none) %}
  {% endif %}
  {% set texts = [stored.text, written.text] | sort %}
  {% set digits = [dbt_kinds.digits(stored.text), dbt_kinds.digits(written.text)] %}
  {% set lengths = [dbt_kinds.text_length(stored.text), dbt_kinds.text_length(written.text)] %}
  {% if none not in digits %}
    {% set whole, scale = digits | map('first') | max, digits | map('last') | max %}
    {% do return({'kind': 'atomic', 'text': 'decimal(' ~ (whole + scale) ~ ',' ~ scale ~ ')'} if whole + scale <= 38
      else none) %}
  {% elif none not in lengths %}
    {% do return({'kind': 'atomic', 'text': 'varchar(' ~ lengths | max ~ ')'}) %}
  {% elif texts == ['float', 'int'] %}
    {% do return({'kind': 'atomic', 'text': 'double'}) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}
