{# What incremental_by_unique_key adds to the options that were read. #}
{% macro key_options(node, options, given) %}
  {% set model = node.name %}
  {% if 'unique_key' not in given %}
    {% do dbt_kinds.fail(model,
      "unique_key is missing; name the columns or SQL expressions that tell rows apart, as in meta={'unique_key': ['id']}") %}
  {% endif %}
  {% set order = dbt_kinds._order(model, given.order_by) if 'order_by' in given
    else {'expressions': [], 'directions': []} %}
  {% set found = {
    'unique_key': dbt_kinds.key_expressions(model, given.unique_key),
    'when_matched': dbt_kinds.merge_clauses(model, given.when_matched) if 'when_matched' in given else none,
    'merge_filter': dbt_kinds.merge_condition(model, given.merge_filter) if 'merge_filter' in given
      else dbt_kinds.merge_condition(model, given.get('incremental_predicates'), option='incremental_predicates'),
    'order_by': order.expressions,
    'order_directions': order.directions,
    'update_only_changed': options.update_only_changed if 'update_only_changed' in given
      else 'when_matched' not in given,
    'merge_update_columns': dbt_kinds._names(node, given, 'merge_update_columns'),
    'merge_exclude_columns': dbt_kinds._names(node, given, 'merge_exclude_columns'),
  } %}
  {% if 'capture' in given %}
    {% do found.update({'capture': dbt_kinds.one_of(model, 'capture', given.capture, ['snapshot'])}) %}
  {% endif %}
  {% if options.duplicate_keys == 'keep_latest' and not found.order_by %}
    {% do dbt_kinds.fail(model,
      "duplicate_keys 'keep_latest' needs order_by, the column or SQL expression whose greatest value wins") %}
  {% elif found.order_by and options.duplicate_keys != 'keep_latest' %}
    {% do dbt_kinds.fail(model,
      "order_by decides between duplicate keys; set duplicate_keys: keep_latest as well, or remove it") %}
  {% endif %}
  {% if options.duplicate_keys == 'replace_all' %}
    {% for name in ['when_matched', 'merge_filter', 'merge_update_columns', 'merge_exclude_columns'] if found[name] %}
      {% set written = 'incremental_predicates' if name == 'merge_filter' and name not in given else name %}
      {% do dbt_kinds.fail(model, "duplicate_keys: replace_all replaces all rows of a key, so " ~ written
        ~ ' has no meaning beside it; remove one of them') %}
    {% endfor %}
  {% endif %}
  {% if found.when_matched is not none %}
    {% set beside = dict(found, insert_only=options.insert_only) %}
    {% for name in ['insert_only', 'update_only_changed', 'merge_update_columns', 'merge_exclude_columns']
        if beside[name] %}
      {% do dbt_kinds.fail(model, 'when_matched says itself which rows and columns to update, so ' ~ name
        ~ ' has no meaning beside it; remove one of them') %}
    {% endfor %}
  {% endif %}
  {% do return(found) %}
{% endmacro %}


{# The ORDER BY expressions with their directions: the first row is the latest. The default is descending, with NULL
   last. #}
{% macro _order(model, written) %}
  {% if written is not string or not written.strip() %}
    {% do dbt_kinds.fail(model, "order_by '" ~ written
      ~ "' is not a column or an SQL expression; write one, such as order_by: updated_at") %}
  {% endif %}
  {% do dbt_kinds.validate_sql_fragment(model, 'order_by', written) %}
  {% set expressions, directions = [], [] %}
  {% for order in dbt_kinds.split_top_level(written) %}
    {% set ending = modules.re.findall('(?i)\\s+(?:asc|desc)(?:\\s+nulls\\s+(?:first|last))?\\s*$', order) %}
    {% set direction = (ending[0] if ending else 'desc') | lower %}
    {% do expressions.append((order[:-(ending[0] | length)] if ending else order) | trim) %}
    {% do directions.append(direction.split() | join(' ') ~ ('' if 'nulls' in direction else ' nulls last')) %}
  {% endfor %}
  {% do return({'expressions': expressions, 'directions': directions}) %}
{% endmacro %}


{% macro _names(node, given, option) %}
  {% set written = given.get(option, node.config.get(option)) %}
  {% do return(([written] if written is string else written or []) | map('lower') | list) %}
{% endmacro %}
