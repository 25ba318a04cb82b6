{#
  Records intervals as loaded if the rows of a table that was filled by other means show that they are. Every model is
  checked before the first is recorded; without `execute` none is recorded. Of several models, one that needs another
  `arrival` is passed over, and said.
#}
{% macro adopt(select=none, start=none, until=none, gaps='skip', again=false, execute=false, arrival=none) %}
  {% set executed = dbt_kinds.true_or_false('the operation adopt', 'execute', execute) %}
  {% do dbt_kinds.set_event_source('adopt') %}
  {% set found, models = {}, [] %}
  {% set named = dbt_kinds.named_models('adopt', select) %}
  {% for node in named %}
    {% set question = dbt_kinds.arrival_question(node, arrival) if named | length > 1 else none %}
    {% if question is not none %}
      {% do log('dbt_kinds: ' ~ node.name ~ ': passed over: ' ~ question, info=true) %}
      {% do models.append({'model': node.unique_id, 'relation': dbt_kinds.options_of(node).relation, 'adopted': [],
        'passed_over': question}) %}
    {% else %}
      {% do dbt_kinds._check_unrecorded(node, again) %}
      {# before the table is read: what changes meanwhile counts as late #}
      {% set options = dbt_kinds.options_of(node) %}
      {% set looked_at, sources = dbt_kinds.next_moment(),
        dict(dbt_kinds.adopted_sources(node, options), versions=dbt_kinds.adopted_versions(node, options)) %}
      {% do found.update({node.unique_id: dict(sources,
        held=dbt_kinds.infer_coverage(node, start, until, gaps, arrival), looked_at=looked_at)}) %}
    {% endif %}
  {% endfor %}
  {% for node in named if node.unique_id in found %}
    {% set options = dbt_kinds.options_of(node) %}
    {# reading the tables took time #}
    {% do dbt_kinds._check_unrecorded(node, again) if executed %}
    {% set its = found[node.unique_id] %}
    {% do dbt_kinds._check_not_overtaken(options, its.looked_at) if executed and its.versions is not none %}
    {% set adopted = dbt_kinds.subtract_intervals(its.held, dbt_kinds._proven_intervals(options, its.unknown)) %}
    {% if executed %}
      {% set at = dbt_kinds.run_settings(node.name).execution_time %}
      {% set pending = dbt_kinds.open_write(options.relation) %}
      {% do dbt_kinds.append_events(options,
        dbt_kinds.adoptions_of(adopted, at, its.looked_at, its.sources, its.versions)
          + (dbt_kinds.still_pending(pending, adopted) if adopted else [])) %}
    {% endif %}
    {% do models.append({
      'model': node.unique_id, 'relation': options.relation, 'adopted': adopted,
      'recorded': dbt_kinds.recorded_coverage(node),
    }) %}
  {% endfor %}
  {% do dbt_kinds._name_readers(models) %}
  {% do dbt_kinds.print_answer('adopt', {'executed': executed, 'models': models}) %}
{% endmacro %}


{# A run that loaded meanwhile read newer versions than those that are recorded after it, so that the next one would
   load the same rows again. #}
{% macro _check_not_overtaken(options, looked_at) %}
  {% if dbt_kinds.read_log([options.relation]) | selectattr('recorded_at', 'gt', looked_at) | list %}
    {% do dbt_kinds.fail(options.model,
      'something was recorded of ' ~ options.relation ~ ' while adopt looked at it; run adopt again') %}
  {% endif %}
{% endmacro %}


{# Logs which models hold what they read of a table before it was adopted: they follow what its runs load, and no run
   loaded what others wrote to it since. #}
{% macro _name_readers(models) %}
  {% set adopted = {} %}
  {% for model in models if model.adopted %}{% do adopted.update({model.relation: model.adopted}) %}{% endfor %}
  {% for node in (dbt_kinds.selected_models(none) if adopted else [])
      if node.unique_id not in models | map(attribute='model') | list %}
    {% set options = dbt_kinds.options_of(node) %}
    {% for parent in dbt_kinds.followed_parents(node, options, none, has_loads=false) if parent.relation in adopted %}
      {% set read = dbt_kinds.intersect_intervals(adopted[parent.relation], dbt_kinds.coverage(options.relation)) %}
      {% if read %}
        {% do log('dbt_kinds: ' ~ node.name ~ ' was loaded from ' ~ parent.name
          ~ ' before this adoption, which is no change to it; if ' ~ parent.name
          ~ ' changed in between, reload it: dbt run --select '
          ~ node.name ~ " --vars '{kinds_start: " ~ read[0][0] ~ ', kinds_end: ' ~ read[-1][1] ~ "}'", info=true) %}
      {% endif %}
    {% endfor %}
  {% endfor %}
{% endmacro %}


{#
  The recorded intervals that are not adopted again. A run's own records are more precise: they have the time and the
  query; those of an operation are not, if it is `unknown` what their sources' versions were.
#}
{% macro _proven_intervals(options, unknown) %}
  {% if options.get('capture') is not none %}
    {# adopted_capture has compared #}
    {% do return([]) %}
  {% endif %}
  {% set stated = [] %}
  {% for load in (dbt_kinds.loads_of(options.relation) if unknown else []) if not load.model_hash %}
    {% do stated.append([load.start, load.end]) %}
  {% endfor %}
  {% do return(dbt_kinds.subtract_intervals(dbt_kinds.coverage(options.relation),
    dbt_kinds.intersect_intervals(dbt_kinds.merge_intervals(stated), unknown))) %}
{% endmacro %}


{#
  Any event counts, not only a load: rows of a withdrawn range, or of an unfinished write,
  prove nothing.
#}
{% macro _check_unrecorded(node, again) %}
  {% set options = dbt_kinds.options_of(node) %}
  {% do dbt_kinds.check_no_lease(options) %}
  {% do dbt_kinds.refuse_half_written(options, dbt_kinds.open_write(options.relation)) %}
  {% set log = [] if dbt_kinds.true_or_false(node.name, 'again', again) else dbt_kinds.read_log([options.relation]) %}
  {% if log %}
    {% do dbt_kinds.fail(node.name,
      'the interval store has events of ' ~ options.relation ~ ' already, the last one ' ~ log[-1].event ~ ' at '
      ~ log[-1].recorded_at[:19] ~ ' (UTC); pass again: true to record all the same what its rows show') %}
  {% endif %}
{% endmacro %}
