{#
  SQL: the rows of a table at a version as `key` and `row`, both JSON. A row is its own key if rows have no key. Times
  are UTC with microseconds; a decimal of more than 15 digits is a string, because JSON parsers would round it.
#}
{% macro rows_to_send(relation, options, version) %}
  {% set table = relation ~ (' version as of ' ~ version if dbt_kinds.supports_snapshots(options.file_format)
    else '') %}
  {% set values, hidden = [], [options.get('content_hash_name', '') | lower, '_kinds_claim'] %}
  {% for column in dbt_kinds.describe_query('select * from ' ~ table) if column.name | lower not in hidden %}
    {% do values.append(dbt_kinds._value_to_send(column)) %}
  {% endfor %}
  {% set row = dbt_kinds._json(values) %}
  {% set keys = [] %}
  {% for key in options.get('unique_key') or options.get('group_key') or [] %}
    {% set is_name = dbt_kinds.matches('`(?:[^`]|``)+`|\\w+', key) %}
    {% do keys.append((dbt_kinds.quoted(dbt_kinds.unquoted(key)) if is_name else key) ~ ' as '
      ~ dbt_kinds.quoted(dbt_kinds.unquoted(key) if is_name else key | replace('`', ''))) %}
  {% endfor %}
  {% do return('select ' ~ (dbt_kinds._json(keys) if keys else row) ~ ' as key, ' ~ row ~ ' as row from ' ~ table) %}
{% endmacro %}


{% macro _json(values) %}
  {% set options = "'ignoreNullFields', 'false', 'timeZone', 'UTC', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', 'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'" %}
  {% do return('to_json(struct(' ~ values | join(', ') ~ '), map(' ~ options ~ '))') %}
{% endmacro %}


{% macro _value_to_send(column) %}
  {% set name = dbt_kinds.quoted(column.name) %}
  {% set digits = modules.re.match('decimal\\((\\d+)', column.type) %}
  {% do return('cast(' ~ name ~ ' as string) as ' ~ name if digits and digits.group(1) | int > 15 else name) %}
{% endmacro %}


{#
  SQL: the outbox rows for the differences between two queries of `key` and `row`; the first is none if there was
  nothing before. If keys are unique, the two rows of a key are the images of an update; if a group changed, all its
  rows are removed and added; otherwise single rows are removed and added, respecting duplicates. Differences are
  computed by counting, because Spark takes two versions of an Iceberg table for the same and drops half of a `union` of
  their differences (measured on 3.5). Pure.
#}
{% macro row_changes(then_rows, now_rows, delta, keys) %}
  {% set then_rows = then_rows if then_rows is not none else "select '' as key, '' as row where false" %}
  {% set went, came = "'delete'", "'insert'" %}
  {% if keys == 'unique_key' %}
    {% set went, came = "if(is_both, 'update_preimage', 'delete')", "if(is_both, 'update_postimage', 'insert')" %}
  {% endif %}
  {% set sql -%}
with counted as (
  select key, row, cast(sum(went) as int) as went, cast(sum(came) as int) as came
  from (
    select key, row, 1 as went, 0 as came from ({{ then_rows }})
    union all
    select key, row, 0 as went, 1 as came from ({{ now_rows }})
  )
  group by key, row
), changed as (
{%- if keys == 'group' %}
  select key, row, explode(concat(array_repeat('went', went), array_repeat('came', came))) as side
  from (select *, bool_or(went <> came) over (partition by key) as has_changed from counted)
  where has_changed
{%- else %}
  select key, row, explode(array_repeat(if(went > came, 'went', 'came'), abs(went - came))) as side from counted
  where went <> came
{%- endif %}
), sided as (
  select *, min(side) over (partition by key) <> max(side) over (partition by key) as is_both,
    row_number() over (partition by key, side order by row) as place
  from changed
)
select
  cast({{ delta.delta }} as bigint) as delta, '{{ delta.fill }}' as fill, cast(null as string) as version,
  if(side = 'went', {{ went }}, {{ came }}) as type,
  {{ 'md5(key)' if keys == 'row' else 'key' }} as key, row,
  md5(concat_ws('/', '{{ delta.fill }}', key{{ '' if keys == 'unique_key' else ", side, place" }})) as change,
  cast(null as string) as status, cast(null as bigint) as attempts, cast(null as string) as reason,
  cast(null as string) as holder, cast(null as string) as moment
from sided
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
