{#
  Tables beside a model's own that hold a batch, or the new whole, while it is put in place. Their names carry the invocation; what a
  run that was killed left is dropped by the next one, which holds the lease. Its types are those of the table `like`, else those of the query.
#}
{% macro stage(relation, purpose, sql, like=none) %}
  {% set stage = relation.incorporate(path={'identifier': dbt_kinds._stage_prefix(relation) ~ dbt_kinds._stage_owner() ~ '_' ~ purpose}) %}
  {% do dbt_kinds.run_memory().stages.setdefault(relation | string, []).append(stage) %}
  {# first the table, then its rows: a query that is killed leaves a table that can be dropped, not files without one #}
  {% call statement('create_stage') %}
create table {{ stage }} using {{ dbt_kinds.native_format() }} as
{{ dbt_kinds.filtered_query('select * from ' ~ like if like is not none else sql, 'false') }}
  {% endcall %}
  {% call statement('fill_stage') %}
insert into {{ stage }}
{{ sql }}
  {% endcall %}
  {% do return(stage) %}
{% endmacro %}


{# Drops the stages that this run made of a relation. #}
{% macro drop_stages(relation) %}
  {% for stage in dbt_kinds.run_memory().stages.pop(relation | string, []) %}
    {% do dbt_kinds.drop_table(stage) %}
  {% endfor %}
{% endmacro %}


{# Drops one of them. #}
{% macro drop_stage(relation, stage) %}
  {% do dbt_kinds.run_memory().stages[relation | string].remove(stage) %}
  {% do dbt_kinds.drop_table(stage) %}
{% endmacro %}


{# The names of stages left by other runs, as in the listing of the schema. #}
{% macro left_stages(relation) %}
  {% set prefix, names = dbt_kinds._stage_prefix(relation) | lower, [] %}
  {% for name in dbt_kinds.listed_tables(relation) | list if name.startswith(prefix) and not name.startswith(prefix ~ dbt_kinds._stage_owner()) %}
    {% do names.append(name) %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# Drops them. Only under the lease: what a run that is alive made is not left. #}
{% macro drop_left_stages(relation) %}
  {% for name in dbt_kinds.left_stages(relation) %}
    {% do dbt_kinds.drop_table(relation.incorporate(path={'identifier': name})) %}
    {% do dbt_kinds.listed_tables(relation).pop(name, none) %}
  {% endfor %}
{% endmacro %}


{#
  The same for a model that has nothing to do: a run that was killed behind its last record may have left some. Where another run is alive, they may be its own.
#}
{% macro tidy_up(relation, options, execution_time) %}
  {% if dbt_kinds.left_stages(relation) and not dbt_kinds.is_claimed_by_others(options) %}
    {% do dbt_kinds.claim(options, {'execution_time': execution_time, 'batches': []}) %}
    {% do dbt_kinds.drop_left_stages(relation) %}
  {% endif %}
{% endmacro %}


{% macro _stage_prefix(relation) %}
  {% do return(relation.identifier ~ '__kinds_stage_') %}
{% endmacro %}


{% macro _stage_owner() %}
  {% do return(local_md5(invocation_id)[:8]) %}
{% endmacro %}
