{# The suffix of the time variables that are of a type, timestamp, timestamp_ntz or date: none of them needs a
   conversion. Pure. #}
{% macro suffix_of_type(type) %}
  {% do return({'timestamp': 'dt', 'timestamp_ntz': 'dtntz', 'date': 'date'}[type]) %}
{% endmacro %}
