{# The interval that the arguments of an operation name. #}
{% macro stated_interval(model, start, end) %}
  {% set interval = [dbt_kinds.parse_instant(model, 'start', start), dbt_kinds.parse_instant(model, 'end', end)] %}
  {% if interval[0] >= interval[1] %}
    {% do dbt_kinds.fail(model, 'start ' ~ interval[0] ~ ' is not before end ' ~ interval[1]) %}
  {% endif %}
  {% do return(interval) %}
{% endmacro %}


{% macro log_coverage(operation, node, options) %}
  {% do log(tojson({
    'operation': operation, 'model': node.unique_id, 'relation': options.relation,
    'recorded': dbt_kinds.coverage(options.relation),
  }), info=true) %}
{% endmacro %}
