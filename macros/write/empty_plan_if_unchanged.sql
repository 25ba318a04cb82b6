{#
  skip_unchanged: empties the plan of a model of kind `full` where neither its query nor what its parents hold has changed since its last
  load, and says so. What a parent holds is known by its snapshot, or by what the store says of it; of another table nothing is known.
#}
{% macro empty_plan_if_unchanged(options, plan, loads, model_hash) %}
  {% set latest = loads | sort(attribute='recorded_at') | last %}
  {% set rows = dbt_kinds.read_log([options.relation]) | selectattr('event', 'eq', 'loaded') | selectattr('recorded_at', 'eq', latest.recorded_at) | list %}
  {% set then = fromjson(rows[0].details) if rows and rows[0].details is defined else {} %}
  {% set now = dbt_kinds.parents_as_read(model, parse=true) %}
  {% set changed = [] %}
  {% for name, state in now.items() if state is none or then.get(name) != state %}
    {% do changed.append(name ~ (' (nothing tells whether it changed)' if state is none else '')) %}
  {% endfor %}
  {% if latest.model_hash != model_hash %}
    {% do plan.update({'reason': 'query changed'}) %}
  {% elif changed %}
    {% do plan.update({'reason': 'changed since the last load: ' ~ changed | join(', ')}) %}
  {% else %}
    {% do plan.update({'reason': 'unchanged since ' ~ latest.recorded_at[:19], 'batches': [], 'missing': [], 'restated': []}) %}
  {% endif %}
{% endmacro %}


{#
  What every table that a model reads, directly or through views and ephemeral models, stands at, as JSON: its Iceberg snapshot, or the last
  event of the store; null where neither is known. Of a view its source is remembered too.
#}
{% macro parents_as_read(node, parse=false) %}
  {% set states = {'its own configuration': local_md5(dbt_kinds.json_text([node.config.get('file_format'), node.config.get('partition_by')]))} %}
  {% do dbt_kinds._note_parents(node, states) %}
  {% do return(states if parse else dbt_kinds.json_text(states)) %}
{% endmacro %}


{% macro _note_parents(node, states) %}
  {% for unique_id in node.depends_on.nodes %}
    {% set parent = graph.nodes.get(unique_id) or graph.sources.get(unique_id) %}
    {% if parent and parent.resource_type == 'model' and parent.config.materialized in ['view', 'ephemeral'] %}
      {% do states.update({unique_id: parent.checksum.checksum}) %}
      {% do dbt_kinds._note_parents(parent, states) %}
    {% elif parent %}
      {% do states.update({unique_id: dbt_kinds._state_of(parent)}) %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{% macro _state_of(parent) %}
  {% set relation = api.Relation.create(database=parent.database, schema=parent.schema, identifier=parent.identifier or parent.alias) %}
  {% set relation = relation.incorporate(path={'database': none}) if adapter.type() == 'spark' else relation %}
  {% if dbt_kinds.relation_type(relation) == 'table' %}
    {% set file_format = dbt_kinds.describe_table(relation).file_format %}
    {% if dbt_kinds.has_commits(file_format) %}
      {% do return(file_format ~ ' ' ~ dbt_kinds.current_snapshot(relation, file_format)) %}
    {% elif parent.resource_type == 'model' and parent.config.materialized in dbt_kinds.kinds() %}
      {% do return('recorded ' ~ (dbt_kinds.events_of(dbt_kinds.relation_key(parent.database, parent.schema, parent.alias))
        | map(attribute='recorded_at') | max | default('never', true))) %}
    {% endif %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}
