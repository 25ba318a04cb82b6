{#
  SQL: the changes of one batch to the open versions of a table, one row per action: `__kinds_action` (close, replace,
  drop or insert), `__kinds_boundary`, where a version ends and the next begins, `__kinds_is_new`, whether the key had
  no open row, the parts of the key, and the source's columns. Rows of the batch that are left out (undated) or refuse
  it (no_key, repeated_key) have actions, too; one that is like the open version of its key has none. A flag on each
  side shows whether it has a row, never a NULL value. `rows` is read once; its keys are counted on the way to the join,
  which needs them side by side. Pure.
#}
{% macro history_changes(options, write_spec, relation, rows, instant) %}
  {% set at = dbt_kinds.instant_literal(options.time_data_type, instant) %}
  {% set dated = dbt_kinds.dating_sql(options, write_spec, instant) %}
  {% set known = ['target.' ~ write_spec.valid_from ~ ' as __kinds_since'] %}
  {% for column in ([dbt_kinds.quoted(write_spec.updated_at.name)] if options.traits.is_dated_by_source
      else dbt_kinds.quoted_names(write_spec.compared)) %}
    {% do known.append('target.' ~ column) %}
  {% endfor %}
  {% set deletes, keys = options.invalidate_hard_deletes, dbt_kinds.key_names(write_spec) %}
  {# where a NULL key refuses the batch, a plain comparison will do, for which Spark need not shuffle what was counted
     by key again #}
  {% set equals = '=' if options.null_keys == 'error' else '<=>' %}
  {% set sql -%}
select
  explode(case
    {%- if options.null_keys == 'error' %}
    when __kinds_has_no_key then array('no_key')
    {%- endif %}
    when __kinds_is_repeated then array('repeated_key')
    {%- if write_spec.updated_at is not none %}
    when __kinds_is_undated then array('undated')
    {%- endif %}
    {%- if deletes %}
    when not __kinds_in_source then if(__kinds_boundary <=> __kinds_since, array('drop'), array('close'))
    {%- endif %}
    when __kinds_is_new then if(__kinds_boundary is null, array(), array('insert'))
    when __kinds_is_changed then if(__kinds_boundary <=> __kinds_since, array('replace'), array('close', 'insert'))
    else array()
  end) as __kinds_action,
  __kinds_boundary,
  __kinds_is_new,
  {{ keys | join(',\n  ') }},
  {{ write_spec.source_columns | join(',\n  ') }}
from (
  select
    source.__kinds_is_there is not null as __kinds_in_source,
    {%- if options.null_keys == 'error' %}
    source.__kinds_is_there is not null and (source.{{ keys | join(' is null or source.') }} is null)
      as __kinds_has_no_key,
    {%- endif %}
    coalesce(source.__kinds_times > 1, false) as __kinds_is_repeated,
    {%- if write_spec.updated_at is not none %}
    source.__kinds_is_there is not null and source.{{ dbt_kinds.quoted(write_spec.updated_at.name) }} is null
      as __kinds_is_undated,
    {%- endif %}
    target.__kinds_is_there is null as __kinds_is_new,
    coalesce({{ dbt_kinds._is_changed(options, write_spec, dated) }}, false) as __kinds_is_changed,
    target.__kinds_since,
    greatest({{ 'if(source.__kinds_is_there is not null, ' ~ dated ~ ', ' ~ at ~ ')' if deletes else dated }},
      target.__kinds_since) as __kinds_boundary,
    {%- for key in keys %}
    if(source.__kinds_is_there is not null, source.{{ key }}, target.{{ key }}) as {{ key }},
    {%- endfor %}
    source.{{ write_spec.source_columns | join(',\n    source.') }}
  from (
    select *, count(*) over (partition by {{ keys | join(', ') }}) as __kinds_times
    from (
      select *, true as __kinds_is_there{{ dbt_kinds.named_keys(write_spec.key_parts) }} from {{ rows }} as source
    )
  ) as source
  {{ 'full outer' if deletes else 'left' }} join (
    select {{ known | join(', ') }}, true as __kinds_is_there{{ dbt_kinds.named_keys(write_spec.key_parts) }}
    from {{ relation }} as target
    where target.{{ write_spec.valid_to }} is null
  ) as target
  on {% for key in keys -%}
  target.{{ key }} {{ equals }} source.{{ key }}{{ ' and ' if not loop.last }}
  {%- endfor %}
)
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# What the parts of the key are called in the changes. Pure. #}
{% macro key_names(write_spec) %}
  {% set names = [] %}
  {% for key in write_spec.key_parts %}
    {% do names.append('__kinds_key_' ~ loop.index) %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# SQL: the instant that dates a row of the source, which is called `row`, with the type of valid_from. Pure. #}
{% macro dating_sql(options, write_spec, instant, row='source') %}
  {% if write_spec.updated_at is none %}
    {% do return(dbt_kinds.instant_literal(options.time_data_type, instant)) %}
  {% endif %}
  {% do return(dbt_kinds.converted_instant(row ~ '.' ~ dbt_kinds.quoted(write_spec.updated_at.name),
    write_spec.updated_at.type, options.time_data_type)) %}
{% endmacro %}


{#
  What is to be done to the table: staged actions, by their numbers. A version that is opened and one that is closed get
  what the write spec says; one that is replaced was opened at the same instant. Pure.
#}
{% macro changes_of_history(write_spec, actions, counts) %}
  {% set clauses = [] %}
  {% if counts.closed %}
    {% do clauses.append({'condition': "__kinds_action = 'close'", 'action': 'update',
      'assignments': write_spec.closed}) %}
  {% endif %}
  {% if counts.replaced %}
    {% set assignments = [] %}
    {% for column in write_spec.source_columns %}
      {% do assignments.append({'column': column, 'expression': '__kinds_row.' ~ column}) %}{% endfor %}
    {% do clauses.append({'condition': "__kinds_action = 'replace'", 'action': 'update', 'assignments': assignments}) %}
  {% endif %}
  {% do clauses.append({'condition': "__kinds_action = 'drop'", 'action': 'delete'}) if counts.dropped %}
  {% do return({
    'rows': dbt_kinds.keyed_rows(dbt_kinds.key_names(write_spec), actions, ['__kinds_action', '__kinds_boundary']),
    'matches': write_spec.valid_to ~ " is null and __kinds_action in ('close', 'replace', 'drop') and "
      ~ dbt_kinds.has_key(write_spec.key_parts),
    'clauses': clauses, 'inserted': dbt_kinds.opened_values(write_spec) if counts.inserted else none, 'counts': counts,
  }) %}
{% endmacro %}


{# SQL: the columns of the version that a row begins at its boundary. Pure. #}
{% macro opened_values(write_spec) %}
  {% set values = [] %}
  {% for column in write_spec.columns %}
    {% do values.append(write_spec.opened.get(column, '__kinds_row.' ~ column)) %}{% endfor %}
  {% do return(values) %}
{% endmacro %}


{# SQL: whether a row of the source differs from the open row of its key, by the kind's criterion. #}
{% macro _is_changed(options, write_spec, dated) %}
  {% if options.traits.is_dated_by_source %}
    {% set updated_at = dbt_kinds.quoted(write_spec.updated_at.name) %}
    {% do return('source.' ~ updated_at ~ ' is not null and (target.' ~ updated_at ~ ' is null or source.' ~ updated_at
      ~ ' > target.' ~ updated_at ~ ')') %}
  {% endif %}
  {% set equal = [] %}
  {% for quoted in dbt_kinds.quoted_names(write_spec.compared) %}
    {% set type = write_spec.compared[loop.index0].type %}
    {% set type = dbt_kinds.parse_type(type) if '<' in type else none %}
    {% do equal.append('target.' ~ quoted ~ ' <=> source.' ~ quoted if type is none
      else dbt_kinds.compared_value('target.' ~ quoted, type) ~ ' <=> '
      ~ dbt_kinds.compared_value('source.' ~ quoted, type)) %}
  {% endfor %}
  {% do return(dated ~ ' is not null and not (' ~ (equal | join(' and ') or 'true') ~ ')') %}
{% endmacro %}


{# SQL: the parts of a key as further columns. Pure. #}
{% macro named_keys(keys) %}
  {% set named = [] %}
  {% for key in keys %}
    {% do named.append(', ' ~ key ~ ' as __kinds_key_' ~ loop.index) %}
  {% endfor %}
  {% do return(named | join) %}
{% endmacro %}


{# The columns of the changes, `[{name, type}]`, in their order. Pure. #}
{% macro change_columns(options, write_spec) %}
  {% set columns = [{'name': '__kinds_action', 'type': 'string'},
    {'name': '__kinds_boundary', 'type': options.time_data_type}, {'name': '__kinds_is_new', 'type': 'boolean'}] %}
  {% for name in dbt_kinds.key_names(write_spec) %}
    {% do columns.append({'name': name, 'type': write_spec.key_types[loop.index0]}) %}
  {% endfor %}
  {% do return(columns + write_spec.source_schema) %}
{% endmacro %}


{# The column types of the stage of changes: the table's, and the key's. #}
{% macro changes_like(options, write_spec, relation) %}
  {% set columns = ["'' as __kinds_action", dbt_kinds.null_of(options) ~ ' as __kinds_boundary',
    'true as __kinds_is_new'] %}
  {% do return('(select ' ~ columns | join(', ') ~ dbt_kinds.named_keys(write_spec.key_parts) ~ ', '
    ~ write_spec.source_columns | join(', ')
    ~ ' from ' ~ relation ~ ' as target)') %}
{% endmacro %}


{# SQL: the rows with the greatest updated_at per key; ties remain and are refused as duplicates. #}
{% macro latest_dated(options, write_spec, query) %}
  {% if options.duplicate_keys != 'keep_latest' %}
    {% do return(query) %}
  {% endif %}
  {% set sql -%}
select * from (
  select *, rank() over (
    partition by {{ options.unique_key | join(', ') }}
    order by {{ dbt_kinds.quoted(options.updated_at_name) }} desc nulls last
  ) as __kinds_rank
  from (
{{ query }}
  )
) where __kinds_rank = 1
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
