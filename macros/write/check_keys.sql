{#
  Counts the rows of a batch, and raises if a key is NULL or has several rows, quoting some. `stage` is the staged
  batch, or its query in parentheses. Returns `{all_rows, null_rows, all_keys}`, the counts and values that the write
  spec asks for (`counted`, `measured`), and the columns of `along`, a query of one row, all by one statement. A refused
  batch leaves no stage.
#}
{% macro check_keys(options, write_spec, stage, batch, along=none) %}
  {% set parts = write_spec.key_parts %}
  {% set is_null = parts | join(' is null or ') ~ ' is null' %}
  {% set counts %}
select count(*) as all_rows, count_if({{ is_null }}) as null_rows,
  {# of a struct they take a third longer (measured) #}
  {{ 'count(distinct ' ~ parts[0] ~ ') + if(count_if(' ~ is_null ~ ') > 0, 1, 0)' if parts | length == 1
    else 'count(distinct struct(' ~ parts | join(', ') ~ '))' }} as all_keys
  {%- for name, condition in write_spec.get('counted', {}).items() %},
  count_if({{ condition }}) as {{ name }}{% endfor %}
  {%- for name, expression in write_spec.get('measured', {}).items() %}, {{ expression }} as {{ name }}{% endfor %}
from {{ stage }} as source
  {%- endset %}
  {% if along is not none %}
    {% set counts = 'select * from (\n' ~ counts ~ '\n) cross join (\n' ~ along ~ '\n)' %}
  {% endif %}
  {% set found = dbt_kinds.query_rows(counts)[0] %}
  {% if found.null_rows and options.null_keys == 'error' %}
    {% do dbt_kinds.refuse_null_keys(options, write_spec, stage, batch,
      found.null_rows ~ ' of ' ~ found.all_rows ~ ' rows') %}
  {% elif found.all_rows != found.all_keys and options.duplicate_keys != 'replace_all' %}
    {% do dbt_kinds.refuse_duplicate_keys(options, write_spec, stage, batch) %}
  {% endif %}
  {% do return(found) %}
{% endmacro %}


{# Raises with some of the rows without a key, and `how_many` there are. #}
{% macro refuse_null_keys(options, write_spec, rows, batch, how_many) %}
  {% set samples = dbt_kinds.rows_without_key(write_spec, rows) %}
  {% do dbt_kinds.drop_stages(this) %}
  {% do dbt_kinds.fail(options.model,
    'NULL in unique_key: ' ~ how_many ~ ' in the batch ' ~ batch[0] ~ ' to ' ~ batch[1] ~ ' without '
      ~ options.unique_key | join(', ')
      ~ ', such as ' ~ samples ~ dbt_kinds.stored_as_null_words(write_spec, options.unique_key) ~ '; '
      ~ dbt_kinds._nulls_way_out()) %}
{% endmacro %}


{# Raises with some of the keys that several rows have. #}
{% macro refuse_duplicate_keys(options, write_spec, rows, batch) %}
  {% set samples = dbt_kinds._duplicate_keys(write_spec, rows) %}
  {% do dbt_kinds.drop_stages(this) %}
  {% do dbt_kinds.fail(options.model,
    'more than one row for one unique_key, duplicate ' ~ options.unique_key | join(', ') ~ ' in the batch ' ~ batch[0]
      ~ ' to ' ~ batch[1] ~ ': '
      ~ samples ~ dbt_kinds.stored_as_null_words(write_spec, options.unique_key)
      ~ '; make the query yield one row for each key' ~ dbt_kinds._duplicates_way_out(options)) %}
{% endmacro %}


{% macro _nulls_way_out() %}
  {% do return('leave them out of the query, or set null_keys: match, which treats NULL as a key') %}
{% endmacro %}


{% macro _duplicates_way_out(options) %}
  {% if options.traits.numbers_by_run %}
    {% do return('') %}
  {% elif not options.traits.has_merge_timeline %}
    {% do return(', or set duplicate_keys: keep_latest and order_by, or replace_all if a key names a group of rows') %}
  {% endif %}
  {% do return((', or set duplicate_keys: keep_latest' if options.traits.is_dated_by_source else '')
    ~ (', or, to replay snapshots one after the other, batch_size: 1 and a query that reads its window'
    if not options.batch_size else '')) %}
{% endmacro %}


{# SQL: whether the key of a row is one that may be written; raises in Spark, in the words of check_keys, where it is
   not: a batch that passed may have other rows when its query runs again. Pure. #}
{% macro keys_are_good(options, write_spec, names, batch) %}
  {% set named, way_out = options.unique_key | join(', ') ~ ' in the batch ' ~ batch[0] ~ ' to ' ~ batch[1],
    dbt_kinds._duplicates_way_out(options) %}
  {% set texts, head = [], 'dbt_kinds: model ' ~ options.model ~ ': ' %}
  {% set no_key = head ~ 'NULL in unique_key: a row without ' ~ named ~ ' came while it was loaded, ' %}
  {% set repeated = head ~ 'more than one row for one unique_key, duplicate ' ~ named
    ~ ' came while it was loaded: (' %}
  {% set one_each = ' times; make the query yield one row for each key' ~ way_out %}
  {% for name in names %}{% do texts.append('coalesce(cast(' ~ name ~ " as string), 'NULL')") %}{% endfor %}
  {% set sql -%}
case
    {%- if options.null_keys == 'error' %}
    when {{ names | join(' is null or ') }} is null
      then raise_error(concat({{ dbt_kinds.text_literal(no_key) }}, to_json(__kinds_row),
        {{ dbt_kinds.text_literal('; ' ~ dbt_kinds._nulls_way_out()) }}))
    {%- endif %}
    when __kinds_times > 1
      then raise_error(concat({{ dbt_kinds.text_literal(repeated) }}, concat_ws(', ', {{ texts | join(', ') }}), ') ',
        cast(__kinds_times as string), {{ dbt_kinds.text_literal(one_each) }}))
    else true
  end
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# Some of the rows with a NULL key, as JSON without NULLs. #}
{% macro rows_without_key(write_spec, rows) %}
  {% set samples = [] %}
  {% for row in dbt_kinds.query_rows('select * from ' ~ rows ~ ' as source where '
      ~ write_spec.key_parts | join(' is null or ') ~ ' is null limit 5') %}
    {% do samples.append(dbt_kinds.json_text(row)) %}
  {% endfor %}
  {% do return(samples | join(', ')) %}
{% endmacro %}


{% macro _duplicate_keys(write_spec, rows) %}
  {% set duplicates %}
select concat('(', concat_ws(', ',
  {% for key in write_spec.key_parts %}coalesce(cast({{ key }} as string),
    'NULL'){{ ', ' if not loop.last }}{% endfor %}), ')') as key,
  count(*) as times
from {{ rows }} as source
group by {{ write_spec.key_parts | join(', ') }}
having count(*) > 1
order by times desc, key
limit 5
  {%- endset %}
  {% set samples = [] %}
  {% for row in dbt_kinds.query_rows(duplicates) %}
    {% do samples.append(row.key ~ ' ' ~ row.times ~ ' times') %}
  {% endfor %}
  {% do return(samples | join(', ')) %}
{% endmacro %}


{# SQL: the first row per key in the order of order_by, with a deterministic choice among equals. #}
{% macro latest_rows(options, query) %}
  {% if options.duplicate_keys != 'keep_latest' %}
    {% do return(query) %}
  {% endif %}
  {% set sql -%}
select * from (
  select *, row_number() over (
    partition by {{ options.unique_key | join(', ') }}
    order by {% for order in options.order_by %}{{ order }} {{ options.order_directions[loop.index0] }},
    {% endfor %}to_json(struct(*)) desc
  ) as __kinds_rank
  from (
{{ query }}
  )
) where __kinds_rank = 1
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# Refuses keys, and then expressions of order_by, that Spark cannot compare; each as `{type}`, in the order of the
   options. #}
{% macro check_keys_compare(options, keys) %}
  {% set texts = options.unique_key + options.get('order_by', []) %}
  {% for key in keys %}
    {% set option = 'unique_key' if loop.index0 < options.unique_key | length else 'order_by' %}
    {% set found = dbt_kinds.incomparable(key.type) %}
    {% do dbt_kinds.fail(options.model,
      option ~ " '" ~ texts[loop.index0] ~ "' is a " ~ key.type ~ ', and Spark cannot compare ' ~ found.what
        ~ '; name another column, or make ' ~ found.instead) if found is not none %}
  {% endfor %}
{% endmacro %}
