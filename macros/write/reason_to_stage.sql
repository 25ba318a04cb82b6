{#
  Why an upsert stages its batch first; none if it can be done at once. Where the query and the table allow both, what
  earlier loads cost decides: a first one is staged, which shows how many rows are equal; the next is done at once, and
  from then on the way that took fewer seconds.
#}
{% macro reason_to_stage(run_context, query) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% if not dbt_kinds.could_be_at_once(run_context) %}
    {% do return('when_matched, audits, capture, sink and new columns need it, and formats other than Iceberg') %}
  {% endif %}
  {% do return(dbt_kinds.reason_in_costs(options, write_spec, dbt_kinds.recorded_costs(options))
    or dbt_kinds.what_may_vary(run_context, query)) %}
{% endmacro %}


{# Whether nothing in a model and its table asks for a stage. Pure. #}
{% macro could_be_at_once(run_context) %}
  {% set options, write_spec = run_context.options, run_context.write_spec %}
  {% do return(
    options.file_format == 'iceberg' and options.when_matched is none and options.get('capture') is none
      and 'sink' not in options and run_context.get('staged') is none
    and not run_context.start_anew and not write_spec.schema_changes and write_spec.has_types_of_table
  ) %}
{% endmacro %}


{# The reason in what earlier loads cost, as upsert_costs returns it, none if there is none. Pure. #}
{% macro reason_in_costs(options, write_spec, costs) %}
  {% set staged, merged = costs.get('staged'), costs.get('merged') %}
  {% if staged is none %}
    {% do return('no load before has told how many of its rows were equal') %}
  {% elif costs.loads >= 20 %}
    {% do return('20 loads ago was the last that told how many of its rows were equal') %}
  {% elif write_spec.is_equal and staged.equal_rows * 10 > staged.rows %}
    {% do return(staged.equal_rows ~ ' of ' ~ staged.rows ~ ' rows were equal, whose files a merge would rewrite') %}
  {% elif merged is none and staged.seconds > 60 %}
    {% do return('the last one took ' ~ staged.seconds ~ ' s') %}
  {# a batch that is larger may take longer #}
  {% elif merged is not none and merged.seconds > staged.seconds * ([merged.rows / ([staged.rows, 1] | max), 1]
      | max) %}
    {% do return('at once took ' ~ merged.seconds ~ ' s for ' ~ merged.rows ~ ' rows, staged ' ~ staged.seconds
      ~ ' s for ' ~ staged.rows) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# What the newest load says that upserts of a table cost; empty if it says nothing. #}
{% macro recorded_costs(options) %}
  {% do return(dbt_kinds.details_of(dbt_kinds.latest_load(dbt_kinds.loads_of(options.relation)) or {}).get('upsert')
    or {}) %}
{% endmacro %}


{#
  What a load says that upserts of its table cost: `{staged, merged, loads}`, the last `{seconds, rows}` of each `way`,
  of staged ones with the number of `equal_rows`, and how many loads followed the last that was staged to find out.
  After 20, what merges cost is found out again, too.
#}
{% macro upsert_costs(options, way, cost) %}
  {% set before = dbt_kinds.recorded_costs(options) %}
  {% set is_new = way == 'staged' and ('merged' not in before or before.loads >= 20) %}
  {% set costs = {'loads': 0 if is_new else before.get('loads', 0) + 1, way: cost} %}
  {% for other in ['staged', 'merged'] if other != way and other in before and not is_new %}
    {% do costs.update({other: before[other]}) %}{% endfor %}
  {% do return(costs) %}
{% endmacro %}


{#
  Why a query might return other keys when it runs again in the same statement, as far as it is known; none if it would
  not: then a merge might miss the file of a key, and insert it once more.
  Asks Spark what the query and its views do, once a run. A cut list of columns may hide something that a view does.
#}
{% macro what_may_vary(run_context, query) %}
  {% if 'what_may_vary' not in run_context %}
    {% set call = dbt_kinds.changing_call(query) %}
    {% do run_context.update({'what_may_vary': dbt_kinds.varying_part(dbt_kinds.analysed_plan(query, is_whole=true),
      query)
      if call is none else call ~ ' may differ'}) %}
  {% endif %}
  {% do return(run_context.what_may_vary) %}
{% endmacro %}


{#
  What the plan of a query has that may give other rows when it is computed again, in words; none if every operator,
  function and relation is known to give the same. The first line of a plan names its columns. Spark prints no more than
  25 columns of an operator: the query's own calls are in its text, those of a view are not. Pure.
#}
{% macro varying_part(plan, query) %}
  {% set operators = ['Project', 'Filter', 'Join', 'LateralJoin', 'Aggregate', 'Union', 'Except', 'Intersect',
    'Distinct', 'Generate', 'Expand', 'Sort', 'SubqueryAlias', 'View', 'WithCTE', 'CTERelationDef', 'CTERelationRef',
    'ResolvedHint', 'Repartition', 'RepartitionByExpression', 'Range', 'LocalRelation', 'OneRowRelation', 'Relation',
    'RelationV2'] %}
  {% set lines = plan.strip().split('\n')[1:] %}
  {% if not lines %}
    {% do return('the plan of its query is not known') %}
  {% endif %}
  {% set call = dbt_kinds._varying_function(lines | join('\n')) or dbt_kinds._varying_function(query) %}
  {% if call is not none %}
    {% do return(call ~ ' in its query may give other rows when it runs again') %}
  {% elif modules.re.search('[)]#[0-9]', lines | join('\n')) is not none %}
    {% do return('its query calls a function of Python, or has a column without a name') %}
  {% endif %}
  {% for line in lines %}
    {% set line = modules.re.sub('^[ :+-]*', '', line) %}
    {% if modules.re.split('\\W', line)[0] not in operators
        or (line.startswith('Relation') and not dbt_kinds._is_read_alike(line)) %}
      {% do return(line[:60] ~ ' may hold something else when it is read again') %}
    {% endif %}
  {% endfor %}
  {% if ' more fields' in plan and modules.re.search('\\bView [(]', plan) is not none %}
    {% do return('the plan of a view that it reads is too long to be printed whole') %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}


{# A function whose value depends on chance or on the order of rows. #}
{% macro _varying_function(text) %}
  {% set calls = 'rand|randn|random|randstr|uniform|uuid|shuffle|aes_encrypt|monotonically_increasing_id|spark_partition_id|input_file_\\w+|first|first_value|last|last_value|any_value|max_by|min_by|mode|'
    ~ 'collect_list|collect_set|array_agg|listagg|string_agg|histogram_numeric|percentile_\\w+|\\w*approx\\w*|\\w*sketch\\w*|reflect|java_method|try_reflect|\\w*UDF\\w*' %}
  {% set found = modules.re.search('(?i)\\b(?:' ~ calls ~ ')(?:#[\\w.]+)?\\s*[(]', text) %}
  {% do return(none if found is none else found.group() | replace('(', '') | trim) %}
{% endmacro %}


{# Whether a relation as Spark prints it holds the same wherever one statement reads it: tables of Iceberg, whose
   snapshot is chosen once, and files, which are listed once; not text in Hive's format. #}
{% macro _is_read_alike(relation) %}
  {% do return(modules.re.match('(?:Relation [^\\n]*\\] (?:parquet|orc|csv|json|text)\\s*$|RelationV2\\[[^\\n]*\\] spark_catalog[.])', relation) is not none) %}
{% endmacro %}
