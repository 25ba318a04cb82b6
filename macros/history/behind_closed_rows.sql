{#
  A key that returns begins a version no earlier than its last one ended. That is rare, and there are many closed rows,
  so they are only read if there are new keys, and only those that end after the first new version begins, which Iceberg
  finds by file bounds.
#}


{# Whether there is a row that ended after a new version of its key begins. #}
{% macro were_closed(options, write_spec, relation, changes, first_new) %}
  {% do return(run_query('select 1 from (\n' ~ dbt_kinds._last_ends(options, write_spec, relation, changes, first_new)
    ~ '\n) limit 1').rows | length > 0) %}
{% endmacro %}


{# SQL: the changes, with new versions of returning keys moved to the end of the last version. #}
{% macro behind_closed_rows(options, write_spec, relation, changes, first_new) %}
  {% set keys = dbt_kinds.key_names(write_spec) %}
  {% set sql -%}
select
  source.__kinds_action,
  if(source.__kinds_is_new, greatest(source.__kinds_boundary, ended.__kinds_ended), source.__kinds_boundary)
    as __kinds_boundary,
  source.__kinds_is_new,
  source.{{ keys | join(',\n  source.') }},
  source.{{ write_spec.source_columns | join(',\n  source.') }}
from {{ changes }} as source
left join (
{{ dbt_kinds._last_ends(options, write_spec, relation, changes, first_new) }}
) as ended
on {% for key in keys -%}
  ended.{{ key }} <=> source.{{ key }}{{ ' and ' if not loop.last }}
{%- endfor %}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the end of a key's last version, for new keys whose version would begin before it. #}
{% macro _last_ends(options, write_spec, relation, changes, first_new) %}
  {% set names = dbt_kinds.key_names(write_spec) | join(', ') %}
  {% set sql -%}
  select {{ names }}, max(target.{{ write_spec.valid_to }}) as __kinds_ended
  from {{ relation }} as target
  join (select __kinds_boundary, {{ names }} from {{ changes }} where __kinds_is_new) as source
  on {{ dbt_kinds.has_key(write_spec.key_parts) }}
  where target.{{ write_spec.valid_to }} > {{ dbt_kinds.instant_of_microseconds(first_new, options.time_data_type) }}
    and target.{{ write_spec.valid_to }} > source.__kinds_boundary
  group by {{ names }}
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}
