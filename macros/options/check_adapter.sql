{% macro check_adapter(model) %}
  {% if not dbt_kinds.writes_spark_sql() %}
    {% do dbt_kinds.fail(model, 'the kinds of dbt_kinds write Spark SQL, and this target is ' ~ adapter.type()
      ~ dbt_kinds._what_becomes_of_statements() ~ '; run it on a spark or databricks target, '
      ~ 'or set materialized to one of that adapter') %}
  {% endif %}
{% endmacro %}


{# Whether the target understands what the kinds write, and gets it as it is written. #}
{% macro writes_spark_sql() %}
  {% do return(adapter.type() in ['spark', 'databricks']) %}
{% endmacro %}


{#
  What other adapters for Spark do to a statement on its way (measured on dbt-glue 1.12.4, and on dbt-fabricspark
  1.13.10 over Livy). Both repeat a request whose answer is lost, so that Spark may run an `insert` twice, and nobody is
  told.
#}
{% macro _what_becomes_of_statements() %}
  {% if adapter.type() == 'fabricspark' and dbt_kinds.credentials().method == 'session' %}
    {% do return(', in whose sessions the kinds have not been tested') %}
  {% endif %}
  {% set on_the_way = {
    'glue': 'puts a statement between quotes of Python, where backslashes are escapes',
    'fabricspark': 'cuts what looks like a comment out of strings and paths',
  }.get(adapter.type()) %}
  {% do return(', which ' ~ on_the_way ~ ', and sends it again if the answer is lost' if on_the_way else '') %}
{% endmacro %}
