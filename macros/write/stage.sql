{#
  Staging tables beside a model's own, which hold a batch, or the complete new table, until it is in place. Their names
  contain the invocation; leftovers of a killed run are dropped by the next one, under its lease. The types are those of
  the table `like`, else those of the query.
#}
{% macro stage(relation, purpose, sql, like=none) %}
  {% set stage = relation.incorporate(path={'identifier': dbt_kinds._stage_prefix(relation) ~ dbt_kinds._stage_owner()
    ~ '_' ~ purpose}) %}
  {% do dbt_kinds._stages().setdefault(relation | string, []).append(stage) %}
  {# first the table, then its rows: a killed query leaves a table that can be dropped, not files without a table #}
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


{# Drops this run's stages of a relation. #}
{% macro drop_stages(relation) %}
  {% for stage in dbt_kinds._stages().pop(relation | string, []) %}
    {% do dbt_kinds.drop_table(stage) %}
  {% endfor %}
{% endmacro %}


{# Drops one of these stages. #}
{% macro drop_stage(relation, stage) %}
  {% do dbt_kinds._stages()[relation | string].remove(stage) %}
  {% do dbt_kinds.drop_table(stage) %}
{% endmacro %}


{# The names of stages left by other runs, as in the listing of the schema. #}
{% macro left_stages(relation) %}
  {% set prefix, names = dbt_kinds._stage_prefix(relation) | lower, [] %}
  {% for name in dbt_kinds.listed_tables(relation) | list
      if name.startswith(prefix) and not name.startswith(prefix ~ dbt_kinds._stage_owner()) %}
    {% do names.append(name) %}
  {% endfor %}
  {% do return(names) %}
{% endmacro %}


{# Drops these stages. Only under the lease on the whole table, because a live run's stages are not leftovers. #}
{% macro drop_left_stages(relation) %}
  {% set key = dbt_kinds.relation_key(relation.database, relation.schema, relation.identifier) %}
  {% for name in dbt_kinds.left_stages(relation) if dbt_kinds.claimed_part(key) is none %}
    {% do dbt_kinds.drop_table(relation.incorporate(path={'identifier': name})) %}
    {% do dbt_kinds.listed_tables(relation).pop(name, none) %}
  {% endfor %}
{% endmacro %}


{#
  The same for a model with nothing to do: a run that was killed after its last record may have left stages. If another
  run is live, they may belong to it.
#}
{% macro drop_orphan_stages(relation, options, execution_time) %}
  {% if dbt_kinds.left_stages(relation) and not dbt_kinds.is_claimed_by_others(options) %}
    {# which another run may be dropping, too #}
    {% set others_wrote = dbt_kinds.claim(options, {'execution_time': execution_time, 'batches': []}, gives_way=true) %}
    {% do dbt_kinds.drop_left_stages(relation) if others_wrote is not none %}
  {% endif %}
{% endmacro %}


{# This run's stages, by the relation that they are for. #}
{% macro _stages() %}
  {% do return(dbt_kinds.run_memory('stages')) %}
{% endmacro %}


{% macro _stage_prefix(relation) %}
  {% do return(relation.identifier ~ '__kinds_stage_') %}
{% endmacro %}


{% macro _stage_owner() %}
  {% do return(local_md5(invocation_id)[:8]) %}
{% endmacro %}
